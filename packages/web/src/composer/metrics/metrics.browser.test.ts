import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  expectAccessible,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../../browser.fixture.ts'

const PATIENCE = { timeout: 30_000 }
const TALKER = fileURLToPath(new URL('../talking-server.fixture.ts', import.meta.url))

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser({
    kind: 'composer',
    config: `[[servers.proxied.stdio]]\nname = "talker"\ncommand = ${JSON.stringify([process.execPath, TALKER])}\n`,
  })
  await vi.waitUntil(async () => (await call()) === 200, { timeout: 20_000, interval: 200 })
})
afterAll(() => quire?.stop())

async function call(): Promise<number> {
  const { status } = await quire.fetch('/api/v1/tools/talker:say/invoke', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return status
}

function cell(page: Page, measure: string, column: number) {
  const header = page.getByRole('rowheader', { name: measure, exact: true })
  return page.getByRole('row').filter({ has: header }).getByRole('cell').nth(column)
}

test('live numbers of the composer', async () => {
  const page = await quire.newPage({ path: '/metrics', width: 420 })
  await page.getByText('Live').waitFor()
  await expect
    .poll(() => cell(page, 'Calls of tools a second', 0).textContent(), PATIENCE)
    .toMatch(/^[\d.]+$/)
  const highest = async () => {
    await call()
    return Number(await cell(page, 'Calls of tools a second', 3).textContent())
  }
  await expect.poll(highest, PATIENCE).toBeGreaterThan(0)
  await expect.poll(() => cell(page, 'Time of a call, mean', 3).textContent(), PATIENCE).toMatch(/ ms$/)
  expect(await cell(page, 'Servers that run', 0).textContent()).toBe('1')
  expect(await cell(page, 'Tools', 0).textContent()).toBe('2')
  expect(await page.locator('canvas').count()).toBe(6)
  await expectAccessible(page)
  await takeScreenshot(page, 'metrics-light-420')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('sixty points a second for ten minutes do not make the page grow', async () => {
  const page = await quire.newPage({ path: '/servers' })
  await page.addInitScript(`window.sockets = []
    window.WebSocket = class extends WebSocket { constructor(...words) { super(...words); window.sockets.push(this) } }`)
  await page.goto(quire.addressOf('/metrics'))
  await page.locator('canvas').nth(5).waitFor()
  const session = await page.context().newCDPSession(page)
  await feed(page)
  const before = await measure(session)
  for (let round = 0; round < 2; round += 1) await feed(page)
  const after = await measure(session)
  expect(after.Nodes).toBeLessThanOrEqual(before.Nodes + 200)
  expect(after.JSEventListeners).toBeLessThanOrEqual(before.JSEventListeners + 20)
  expect(after.JSHeapUsedSize).toBeLessThan(before.JSHeapUsedSize * 1.5)
})

/** Ten minutes that end before the next real point, through the page's own socket. */
async function feed(page: Page): Promise<void> {
  await page.evaluate(`const start = Date.now() - 605_000
  for (let index = 0; index < 36_000; index += 1) {
    const at = start + (index * 1_000) / 60
    const data = JSON.stringify({
      type: 'metrics', timestamp: new Date(at).toISOString(), http_requests_total: index, tool_invocations_total: index * 2,
      tool_errors_total: index >> 4, server_restarts_total: 0, servers_running: 1, tools_total: 2,
      cpu_percent: 20 + 10 * Math.sin(index / 2000), memory_percent: 3, uptime_seconds: index,
    })
    window.sockets[0].dispatchEvent(new MessageEvent('message', { data }))
  }`)
  // The mean of what was fed: it is drawn.
  await expect.poll(() => cell(page, 'HTTP requests a second', 2).textContent(), PATIENCE).toMatch(/^(59|60)/)
}

async function measure(session: CDPSession) {
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const numberOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
  return {
    Nodes: numberOf('Nodes'),
    JSEventListeners: numberOf('JSEventListeners'),
    JSHeapUsedSize: numberOf('JSHeapUsedSize'),
  }
}
