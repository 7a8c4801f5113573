import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  expectAccessible,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../../browser.fixture.ts'

const PATIENCE = { timeout: 30_000 }
const TALKER = fileURLToPath(new URL('../talking-server.fixture.ts', import.meta.url))
const HOSTILE = 'ERROR <img src=x onerror="window.wasRun=1"></script> \u202Eabc'
const FLOOD = 20_000

let quire: QuireInBrowser
beforeAll(async () => {
  const command = JSON.stringify([process.execPath, TALKER])
  quire = await startQuireForBrowser({
    kind: 'composer',
    config: ['talker', 'other']
      .map((name) => `[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ${command}\n`)
      .join('\n'),
  })
  await vi.waitUntil(async () => (await call('other', 'say', { lines: ['hello'] })) === 200, {
    timeout: 20_000,
    interval: 200,
  })
})
afterAll(() => quire?.stop())

async function call(server: string, tool: string, args: object): Promise<number> {
  const { status } = await quire.fetch(`/api/v1/tools/${server}:${tool}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
  return status
}

function linesOf(page: Page) {
  return page.getByRole('listbox', { name: /^Log lines/ }).getByRole('option')
}

test('lines come live, and are filtered, chosen, paused and saved', async () => {
  const page = await quire.newPage({ path: '/logs' })
  await page.getByText('Live').waitFor()
  await call('talker', 'say', {
    lines: [HOSTILE, 'WARNING the oven is hot', 'INFO all is well', `INFO ${'x'.repeat(10_000)}`],
  })
  await linesOf(page).filter({ hasText: 'the oven is hot' }).waitFor()
  await linesOf(page).filter({ hasText: '<img src=x onerror="window.wasRun=1"></script>' }).waitFor()
  await page.getByText('1 error', { exact: true }).waitFor()
  expect(await page.evaluate(() => 'wasRun' in window)).toBe(false)
  await takeScreenshot(page, 'logs-light')
  await expectAccessible(page)

  await page.getByLabel('Level').selectOption('WARNING')
  await page.getByLabel('Server').selectOption('talker')
  await linesOf(page).filter({ hasText: 'all is well' }).waitFor({ state: 'detached' })
  await page.getByLabel('Text in the line').fill('OVEN')
  await expect.poll(() => linesOf(page).count(), PATIENCE).toBe(1)
  await page.waitForURL(/level=WARNING.*text=OVEN|text=OVEN.*level=WARNING/)
  await page.reload()
  await expect
    .poll(() => linesOf(page).allTextContents(), PATIENCE)
    .toEqual([expect.stringContaining('the oven is hot')])

  await linesOf(page).click()
  await page.getByRole('region', { name: 'the chosen line' }).getByText('WARNING talker').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^\S+Z WARNING talker .*the oven is hot\n$/)

  await page.getByLabel('Text in the line').fill('')
  await page.getByLabel('Level').selectOption('Every level')
  await page.getByRole('button', { name: 'Pause' }).click()
  await call('talker', 'say', { lines: ['INFO while paused'] })
  await page.getByText('Paused, 1 more').waitFor()
  expect(await linesOf(page).filter({ hasText: 'while paused' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Go on' }).click()
  await linesOf(page).filter({ hasText: 'while paused' }).waitFor()

  await page.getByRole('listbox', { name: /^Log lines/ }).focus()
  await page.keyboard.press('End')
  await page.getByRole('option', { selected: true }).filter({ hasText: 'while paused' }).waitFor()

  await page.getByLabel('Text in the line').fill('no line has this')
  await page.getByText('No line fits.').waitFor()
})

test('the page goes on after the server was started again, and says so', async () => {
  const page = await quire.newPage({ path: '/logs?text=was+started+again', theme: 'dark', width: 420 })
  await page.getByText('Live').waitFor()
  await quire.restart()
  await linesOf(page).filter({ hasText: 'The composer was started again.' }).waitFor({ timeout: 20_000 })
  await page.getByLabel('Text in the line').fill('')
  await page.getByText(/^\d+ lines$/).waitFor()
  await takeScreenshot(page, 'logs-dark-phone')
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('a server that floods does not stop the page', async () => {
  const page = await quire.newPage({ path: '/logs' })
  await page.getByText('Live').waitFor()
  await expect.poll(() => call('talker', 'flood', { count: FLOOD }), PATIENCE).toBe(200)
  // What was too fast for the page is said in between.
  await linesOf(page)
    .filter({ hasText: `line ${FLOOD - 1} of the flood` })
    .waitFor()
  expect(await linesOf(page).count()).toBeLessThan(100)
})

test('of a hundred thousand lines only those in sight are in the page, and one of them is found', async () => {
  const page = await quire.newPage({ path: '/servers' })
  await page.addInitScript(`window.sockets = []
    window.WebSocket = class extends WebSocket { constructor(...words) { super(...words); window.sockets.push(this) } }`)
  await page.goto(quire.addressOf('/logs'))
  await page.getByText('Live').waitFor()
  await feed(page, 110_000)
  await page.getByText(/^100,000 lines/).waitFor()
  expect(await linesOf(page).count()).toBeLessThan(100)
  await page.getByLabel('Text in the line').fill('line 105000 ')
  await expect.poll(() => linesOf(page).count(), PATIENCE).toBe(1)
})

/** Lines through the page's own socket, each a message, some hundred in every frame. */
async function feed(page: Page, count: number): Promise<void> {
  await page.evaluate(`(async () => {
    for (let id = 1_000_000; id < 1_000_000 + ${count}; id += 1) {
      const level = id % 100 === 0 ? 'ERROR' : 'INFO'
      const message = 'line ' + (id - 1_000_000) + ' of many: a client was answered in ' + (id % 97) + ' ms'
      const data = JSON.stringify({ type: 'log', id, timestamp: new Date().toISOString(), level, server: 'many', message })
      window.sockets[0].dispatchEvent(new MessageEvent('message', { data }))
      if (id % 800 === 0) await new Promise(requestAnimationFrame)
    }
  })()`)
}
