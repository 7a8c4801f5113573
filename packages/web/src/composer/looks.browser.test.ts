import { fileURLToPath } from 'node:url'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { lookAround, type QuireInBrowser, startQuireForBrowser } from '../browser.fixture.ts'

const SAMPLE = fileURLToPath(new URL('sample-server.fixture.ts', import.meta.url))
const CALLS = 12

/** One that runs, one that has failed, one that never comes to run, and one that nobody has started. */
const CONFIG = [
  ['sample', [SAMPLE], ''],
  ['broken', ['-e', 'console.error("The disk is full"); process.exit(7)'], 'max_restarts = 0'],
  ['slow', ['-e', 'setInterval(() => {}, 1000)'], 'startup_timeout = 300'],
  ['resting', [SAMPLE], 'auto_start = false'],
]
  .map(
    ([name, args, more]) =>
      `[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ${JSON.stringify([process.execPath, ...(args ?? [])])}\n${more}\n`,
  )
  .join('\n')

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser({ config: CONFIG })
  await vi.waitUntil(async () => (await call()) === 200, { timeout: 20_000, interval: 200 })
  await Promise.all(Array.from({ length: CALLS }, call))
})
afterAll(() => quire?.stop())

async function call(): Promise<number> {
  const { status } = await quire.fetch('/composer/api/v1/tools/sample:fail/invoke', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return status
}

/** Each with something that stands there only when its data does. */
const PAGES = [
  ['dashboard', '/composer', /95 of 100 took/],
  ['servers', '/servers', /^44 tools/],
  ['server', '/servers/sample', 'All 44 tools'],
  ['server-crashed', '/servers/broken', /was never ready/],
  ['server-built-in', '/servers/notebook', /^up \d+ s · started by/],
  ['tools', '/tools', /1 to 20 of \d+ tools/],
  ['tool', '/tools/sample:plan', 'Makes a plan of what it is told.'],
  ['translators', '/translators', 'There is no translator.'],
  ['configuration', '/configuration', 'It is in order.'],
  ['logs', '/logs', /crashed: ended with exit code 7/],
  ['metrics', '/metrics', /^Calls [\d.]+$/],
] as const

test.each(PAGES)('%s, in both themes and on a phone, behind a token', async (name, path, sign) => {
  const page = await quire.newPage({ path })
  await page.getByText(sign).first().waitFor()
  // A rate is known with the second number of those that come every second.
  if (name === 'dashboard') await page.locator('polyline[points*=" "]').first().waitFor({ state: 'attached' })
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  expect(new URL(page.url()).hash).toBe('')
  await lookAround(page, `composer-${name}`)
})

test('every state that a server can be in is shown', async () => {
  verifies('CO-UI-4')
  const page = await quire.newPage({ path: '/servers' })
  for (const [server, state] of [
    ['slow', 'Starting'],
    ['sample', 'Running'],
    ['resting', 'Stopped'],
    ['broken', 'Crashed'],
  ] as const)
    await page.getByRole('region', { name: server }).getByText(state, { exact: true }).waitFor()
})

test('a server that is part of Quire says so, and cannot be removed', async () => {
  const page = await quire.newPage({ path: '/servers' })
  await page.getByRole('region', { name: 'notebook' }).getByText('part of Quire').waitFor()
  await page.getByRole('link', { name: 'notebook', exact: true }).click()
  await page.getByRole('button', { name: 'Restart notebook' }).waitFor()
  expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(0)
  await page.goto(quire.addressOf('/servers/sample'))
  await page.getByRole('button', { name: 'Remove' }).waitFor()
})
