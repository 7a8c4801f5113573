import { fileURLToPath } from 'node:url'
import { verifies } from '@quire/spec/verifies'
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
const CONFIG = `# Kept through every change.
[[servers.proxied.stdio]]
name = "sample"
command = ${JSON.stringify([process.execPath, SAMPLE])}

[[servers.proxied.stdio]]
name = "broken"
command = ${JSON.stringify([process.execPath, '-e', 'console.error("I cannot go on"); process.exit(7)'])}
max_restarts = 0
`

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser({
    kind: 'composer',
    config: CONFIG,
    args: ['--allow-command', process.execPath],
  })
})
afterAll(() => quire?.stop())

const invoke = (tool: string) =>
  quire.fetch(`/api/v1/tools/${encodeURIComponent(tool)}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })

test('the composer alone begins with its own overview, fed by the service', async () => {
  verifies('CO-UI-1', 'CO-UI-2')
  await invoke('sample:fail')
  const page = await quire.newPage()
  await page.getByRole('heading', { level: 1, name: 'Composer' }).waitFor()
  await page.getByText('1 of 2').waitFor()
  await page.getByText('1 crashed').waitFor()
  const activity = page.getByRole('region', { name: 'Activity' })
  await activity.getByText(/95 of 100 took up to/).waitFor()
  await activity.getByText('1 in all').nth(1).waitFor()
  await page.getByRole('link', { name: /^broken/ }).click()
  await page.getByRole('heading', { level: 1, name: 'broken' }).waitFor()
})

test('a server that has failed says why, with the last that it said', async () => {
  const page = await quire.newPage({ path: '/servers/broken', theme: 'dark' })
  await page.getByRole('heading', { name: 'Why it is down' }).waitFor()
  const runs = page.getByRole('region', { name: 'Starts and ends of broken' }).getByRole('listitem')
  await runs.filter({ hasText: /^Failed.*Ended with exit code 7.*was never ready/ }).waitFor()
  await page
    .getByRole('region', { name: 'Why it is down' })
    .getByText(/^Ended with exit code 7/)
    .waitFor()
  const log = page.getByRole('region', { name: 'Log of broken' })
  await log.getByText(/^crashed: ended with exit code 7/).waitFor()
  await page.getByRole('button', { name: 'Start broken' }).click()
  await page
    .getByRole('alert')
    .getByText(/failed to start/)
    .waitFor()
  await expectAccessible(page)
  await takeScreenshot(page, 'composer-server-dark')
})

test('a server is stopped and started, and its log follows', async () => {
  verifies('CO-UI-3')
  const page = await quire.newPage({ path: '/servers' })
  const card = page.getByRole('region', { name: 'sample' })
  await card.getByText('44 tools').waitFor()
  await card.getByRole('button', { name: 'Stop sample' }).click()
  await card.getByText('Stopped').waitFor()
  await card.getByRole('link', { name: 'sample' }).click()
  await page.getByText('Start it to see its tools.').waitFor()
  await page.getByRole('button', { name: 'Start sample' }).click()
  await page.getByRole('link', { name: 'All 44 tools' }).waitFor()
  const runs = page.getByRole('region', { name: 'Starts and ends of sample' }).getByRole('listitem')
  await runs.filter({ hasText: /^Running.*up \d+ s · started by hand$/ }).waitFor()
  await runs.filter({ hasText: /^Stopped.*started by the configuration · stopped by hand$/ }).waitFor()
  await page
    .getByRole('region', { name: 'Log of sample' })
    .getByText(/^running; its start took/)
    .last()
    .waitFor()
})

test('what a server writes is text in its log', async () => {
  const page = await quire.newPage({ path: '/servers/sample' })
  await page.getByRole('region', { name: 'Log of sample' }).waitFor()
  await invoke(`sample:${HOSTILE_TOOL}`)
  await page.getByRole('region', { name: 'Log of sample' }).getByText(HOSTILE).first().waitFor()
  expect(await page.title()).toBe('sample · Quire')
})

test('a server is added and removed, and the rest of the file stays', async () => {
  const page = await quire.newPage({ path: '/servers', width: 420 })
  await page.getByRole('button', { name: 'Add a server' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a server' })
  await dialog.getByLabel('Name').fill('more')
  await dialog.getByLabel('Command').fill('/bin/not-allowed')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText(/whose program is not allowed over the API/).waitFor()
  await lookAround(page, 'composer-server-add')
  await dialog.getByLabel('Command').fill(`${process.execPath}\n${SAMPLE}`)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'more' }).waitFor()
  await page.getByRole('link', { name: 'All 44 tools' }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await lookAround(page, 'composer-server-remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.locator('h1:focus', { hasText: 'Servers' }).waitFor()
  await page.getByRole('region', { name: 'more' }).waitFor({ state: 'detached' })
  const { config } = (await (await quire.fetch('/api/v1/config')).json()) as { config: unknown }
  expect(JSON.stringify(config)).not.toContain('"more"')
  const toml = await quire.fetch('/api/v1/config', { headers: { accept: 'application/toml' } })
  expect(await toml.text()).toContain('# Kept through every change.')
})

test('a server that is not there is told of in the words of the service', async () => {
  const page = await quire.newPage({ path: '/servers/nobody' })
  await page
    .getByRole('alert')
    .getByText('There is no server "nobody". Configured: "sample", "broken".')
    .waitFor()
  await lookAround(page, 'composer-server-unknown')
})

test('translators are added, copied from and deleted', async () => {
  const page = await quire.newPage({ path: '/translators' })
  await page.getByText('There is no translator.').waitFor()
  await page.getByRole('button', { name: 'Add a translator' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a translator' })
  await dialog.getByLabel('Name').fill('bridged')
  await lookAround(page, 'composer-translator-add')
  await dialog.getByLabel('Command').fill(`${process.execPath}\n${SAMPLE}`)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const card = page.getByRole('region', { name: 'bridged' })
  await card.getByRole('button', { name: 'Copy address', exact: true }).click()
  await card.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(new RegExp(`^${quire.url}/translators/[\\w-]+/mcp$`))
  await card.getByRole('button', { name: 'Delete bridged' }).click()
  await lookAround(page, 'composer-translator-delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('There is no translator.').waitFor()
  await page.locator('h1:focus', { hasText: 'Translators' }).waitFor()
})

test('a page goes on by itself after the composer was started again', async () => {
  const page = await quire.newPage()
  const lost = page.getByText('The connection is lost and is being made again')
  await page.getByText('1 of 2').waitFor()
  const [again] = await Promise.all([quire.restart(), lost.waitFor()])
  expect(again).toBeUndefined()
  await lost.waitFor({ state: 'detached' })
  await page.getByText('1 of 2').waitFor()
  await page.getByRole('region', { name: 'Activity' }).getByText('0 in all').first().waitFor()
})
