import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  expectAccessible,
  lookAround,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../browser.fixture.ts'
import { HOSTILE, HOSTILE_TOOL } from './sample-server.fixture.ts'

const SAMPLE = fileURLToPath(new URL('sample-server.fixture.ts', import.meta.url))

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser({
    kind: 'composer',
    config(folder) {
      const command = JSON.stringify([process.execPath, SAMPLE, join(folder, 'changed')])
      return `[[servers.proxied.stdio]]\nname = "sample"\ncommand = ${command}\npin = true\n`
    },
  })
})
afterAll(() => quire?.stop())

test('tools are searched, paged, and found again by the address', async () => {
  const page = await quire.newPage({ path: '/tools' })
  await page.getByText('1 to 20 of 44 tools').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('21 to 40 of 44 tools').waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('many_3')
  await page.getByText('10 tools', { exact: true }).waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe('?search=many_3')
  await page.reload()
  await page.getByText('10 tools', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Server' }).selectOption('sample')
  await expect.poll(() => new URL(page.url()).search).toContain('server=sample')
  await expectAccessible(page)
  await takeScreenshot(page, 'composer-tools-light')
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing is called this')
  await page.getByText('No tool is like this.').waitFor()
  await lookAround(page, 'composer-tools-none')
})

test('a form of the schema calls the tool, and the call is remembered', async () => {
  const page = await quire.newPage({ path: '/tools/sample:plan' })
  const called: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/invoke')) called.push(request.url())
  })
  await page.getByLabel('count').fill('0')
  await page.getByRole('button', { name: 'Call it' }).click()
  const focused = page.locator(':focus')
  expect(await focused.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('title').evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await page.getByText('This is required.').count()).toBe(3)
  await page.getByText('The least is 1.').waitFor()
  await lookAround(page, 'composer-tool-incomplete')
  expect(called).toEqual([])
  await page.getByLabel('count').fill('3')
  await page.getByText('The least is 1.').waitFor({ state: 'detached' })
  await page.getByLabel('title').fill('House')
  await page.getByLabel('colour').selectOption('green')
  await page.getByRole('checkbox', { name: /urgent/ }).check()
  await page.getByLabel('city').fill('Bern')
  await page.getByLabel('floor').fill('-2')
  await page.getByRole('button', { name: 'Add to steps' }).click()
  await page.getByLabel('what').fill('Dig')
  await page.getByLabel('minutes').fill('2.5')
  await page.getByRole('button', { name: 'Add to labels' }).click()
  await page.getByRole('button', { name: 'Add to labels' }).click()
  await page.getByRole('textbox', { name: /^labels 1/ }).fill('first')
  await page.getByRole('button', { name: 'Remove labels 2' }).click()
  await page.getByLabel('more').fill('{"free": [1')
  await page.getByText(/This is no JSON/).waitFor()
  await page.getByLabel('more').fill('{"free": [1]}')
  await page.getByRole('button', { name: 'Call it' }).click()
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByText('planned', { exact: true }).waitFor()
  const structured = await answer
    .getByRole('region', { name: 'structured content', exact: true })
    .last()
    .textContent()
  expect(JSON.parse(structured ?? '')).toEqual({
    count: 3,
    title: 'House',
    colour: 'green',
    urgent: true,
    place: { city: 'Bern', floor: -2 },
    steps: [{ what: 'Dig', minutes: 2.5 }],
    labels: ['first'],
    more: { free: [1] },
  })
  await expectAccessible(page)
  await takeScreenshot(page, 'composer-tool-light')
  await page.getByLabel('title').fill('Changed')
  await page.getByRole('button', { name: /^Done/ }).click()
  expect(await page.getByLabel('title').inputValue()).toBe('House')
})

test('arguments are written as JSON too', async () => {
  const page = await quire.newPage({ path: '/tools/sample:plan', theme: 'dark', width: 420 })
  await page.getByLabel('title').fill('House')
  await page.getByRole('button', { name: 'JSON' }).click()
  const raw = page.getByLabel('Arguments as JSON')
  expect(JSON.parse(await raw.inputValue())).toMatchObject({ title: 'House' })
  // What is written as JSON is sent as it stands: the service is the judge.
  await raw.fill('{"count": 0}')
  await page.getByRole('button', { name: 'Call it' }).click()
  await page
    .getByRole('alert')
    .getByText(/do not fit the tool "sample:plan"/)
    .waitFor()
  await raw.fill('{"title": "T", "colour": "violet", "place": {"city": "B"}}')
  await page.getByRole('button', { name: 'Call it' }).click()
  await page
    .getByRole('alert')
    .getByText(/colour/)
    .waitFor()
  await raw.fill('{"title": "T", "colour": "blue", "place": {"city": "B"}}')
  await page.getByRole('button', { name: 'Call it' }).click()
  await page.getByText('planned', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Form' }).click()
  expect(await page.getByLabel('title').inputValue()).toBe('T')
  await expectAccessible(page)
  await takeScreenshot(page, 'composer-tool-dark-420')
})

test('pictures are shown, and what is no picture is not', async () => {
  const page = await quire.newPage({ path: '/tools/sample:picture' })
  await page.getByRole('button', { name: 'Call it' }).click()
  const picture = page.getByRole('img', { name: 'From the tool' })
  await picture.waitFor()
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(48)
  await page.getByText(/cannot show as a picture \(text\/html\)/).waitFor()
})

test('a tool that fails says so itself', async () => {
  const page = await quire.newPage({ path: '/tools/sample:fail' })
  await page.getByRole('button', { name: 'Call it' }).click()
  await page.getByText('The tool says that it failed').waitFor()
  await page.getByText('no luck today', { exact: true }).waitFor()
})

test('names, descriptions and answers that want to be more than text are text', async () => {
  const page = await quire.newPage({ path: '/tools?search=onerror' })
  await page.getByRole('link', { name: HOSTILE_TOOL }).click()
  await page.getByRole('heading', { level: 1, name: `sample:${HOSTILE_TOOL}` }).waitFor()
  expect(await page.getByText(HOSTILE).first().textContent()).toContain(HOSTILE)
  await page.getByRole('button', { name: 'Call it' }).click()
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByRole('button', { name: /Show all/ }).click()
  expect(await answer.locator('a[href^="javascript"]').count()).toBe(0)
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.title()).toBe(`sample:${HOSTILE_TOOL} · Quire`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await expectAccessible(page)
})

test('a tool that has changed is blocked until somebody has looked at it', async () => {
  await writeFile(join(quire.folder, 'changed'), '')
  await quire.fetch('/api/v1/servers/sample/restart', { method: 'POST' })
  const page = await quire.newPage({ path: '/tools/sample:fail' })
  await page.getByRole('heading', { name: 'It may not be called until somebody approves it' }).waitFor()
  const difference = page.getByRole('region', { name: 'How its definition differs' })
  await difference.getByText('"description": "Always succeeds."').waitFor()
  expect(await difference.getByText('added:').count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Call it' }).isDisabled()).toBe(true)
  await expectAccessible(page)
  await takeScreenshot(page, 'composer-tool-blocked-light')
  await page.getByRole('button', { name: 'Approve this definition' }).click()
  await difference.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Call it' }).click()
  await page.getByText('no luck today', { exact: true }).waitFor()
})
