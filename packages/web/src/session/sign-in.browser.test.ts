import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifies } from '@quire/spec/verifies'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lookAround, type QuireInBrowser, startQuireForBrowser } from '../browser.fixture.ts'

const LAUNCHER = fileURLToPath(new URL('../../../cli/bin/quire.mjs', import.meta.url))

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser()
})
afterAll(() => quire?.stop())

const asked = (page: Page) => page.getByRole('heading', { level: 1, name: 'Quire asks for its token' })

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
}

/** Everything that a tab keeps, beside the memory of its scripts. */
async function keptBy(page: Page) {
  return {
    cookies: await page.context().cookies(),
    local: await page.evaluate(() => JSON.stringify(localStorage)),
  }
}

test('the page and its files come without a token, what they show does not', async () => {
  verifies('ALL-WEB-1')
  const get = (path: string) => fetch(quire.url + path, { signal: AbortSignal.timeout(20_000) })
  for (const path of ['/ui', '/ui/', '/ui/servers', '/ui/icon.svg']) {
    const response = await get(path)
    expect([path, response.status, response.headers.get('set-cookie')]).toEqual([path, 200, null])
  }
  const shell = await (await get('/ui/')).text()
  const assets = [...shell.matchAll(/(?:src|href)="[^"]*?(assets\/[^"]+)"/g)].map(([, asset]) => asset)
  expect(assets.length).toBeGreaterThan(0)
  for (const asset of assets) expect((await get(`/ui/${asset}`)).status).toBe(200)
  for (const path of ['/composer/api/v1/servers', '/runtime/api/v1/agents', '/teams/teams'])
    expect([path, (await get(path)).status]).toEqual([path, 401])
})

test('the token of the address is taken, and is in no address, history, cookie or storage that lasts', async () => {
  const page = await quire.newPage({ isSignedIn: false, path: '/teams?a=b' })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${quire.addressOf('/teams?a=b')}#token=${quire.token}`)
  await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor()
  expect(page.url()).toBe(quire.addressOf('/teams?a=b'))
  await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor()
  const cdp = await page.context().newCDPSession(page)
  const { entries } = await cdp.send('Page.getNavigationHistory')
  expect(entries.length).toBeGreaterThan(1)
  for (const { url } of [...entries, ...requests.map((url) => ({ url }))])
    expect(url).not.toContain(quire.token)
  expect(await keptBy(page)).toEqual({ cookies: [], local: '{}' })
  // Another tab knows nothing of it.
  const other = await page.context().newPage()
  await other.goto(quire.addressOf('/teams'))
  await asked(other).waitFor()
})

test('a WebSocket carries the token as a sub-protocol, and in nothing else', async () => {
  const page = await quire.newPage({ path: '/logs' })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  const opened = new Promise<string>((resolve) =>
    cdp.on('Network.webSocketWillSendHandshakeRequest', ({ request }) =>
      resolve(request.headers['Sec-WebSocket-Protocol'] ?? ''),
    ),
  )
  const [socket] = await Promise.all([
    page.waitForEvent('websocket'),
    page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).click(),
  ])
  expect(await opened).toBe(`quire.v1, quire.bearer.${Buffer.from(quire.token).toString('base64url')}`)
  expect(socket.url()).not.toContain(quire.token)
})

const HOSTILE_FRAGMENTS = [
  '#token=',
  '#token=<script>wasRun=1</script>',
  '#token=%3Cimg%20src=x%20onerror=wasRun=1%3E',
  '#token=a%0d%0aset-cookie:%20a=b',
  '#token=\u202Eпароль',
  `#token=${'a'.repeat(20_000)}`,
  '#token=a&token=b',
  '#token=not-the-token',
]

test('a fragment that is no token of ours leads to the page that asks, and stays nowhere', async () => {
  const page = await quire.newPage({ isSignedIn: false })
  for (const fragment of HOSTILE_FRAGMENTS) {
    await page.goto('about:blank')
    await page.goto(quire.addressOf('/teams') + fragment)
    await asked(page).waitFor()
    expect(page.url()).toBe(quire.addressOf('/teams'))
    expect(await page.evaluate(() => 'wasRun' in window)).toBe(false)
    expect(await keptBy(page)).toEqual({ cookies: [], local: '{}' })
  }
})

test('a wrong token is told so; the right one leads to where one was, and a rotated one back and forth', async () => {
  const page = await quire.newPage({ isSignedIn: false, path: '/teams/new?from=here' })
  await asked(page).waitFor()
  await lookAround(page, 'sign-in')
  await signIn(page, 'not-the-token')
  await page.getByText('This token is not taken here').waitFor()
  await signIn(page, 'кириллица und Leerzeichen')
  await page.getByText('This is no token').waitFor()
  await lookAround(page, 'sign-in-refused')
  await signIn(page, ` ${quire.token} `)
  await page.getByRole('heading', { level: 1, name: 'New team' }).waitFor()
  expect(page.url()).toBe(quire.addressOf('/teams/new?from=here'))

  // An address in an open tab that differs in its fragment alone.
  await page.getByRole('button', { name: 'Forget the token' }).click()
  await asked(page).waitFor()
  expect(await page.getByText('is not taken').count()).toBe(0)
  await page.goto(`${quire.addressOf('/teams/new?from=here')}#token=${quire.token}`)
  await page.getByRole('heading', { level: 1, name: 'New team' }).waitFor()
  expect(page.url()).toBe(quire.addressOf('/teams/new?from=here'))
  // One that somebody else has made puts nobody out.
  const refused = page.waitForResponse((answer) => answer.status() === 401)
  await page.goto(`${quire.addressOf('/teams/new?from=here')}#token=of-somebody-else`)
  await refused
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('quire.token'))).toBe(quire.token)
  await page.getByRole('heading', { level: 1, name: 'New team' }).waitFor()

  const data = join(quire.folder, 'data')
  await promisify(execFile)(process.execPath, [LAUNCHER, 'token', 'rotate', '--data', data])
  await quire.restart()
  await page.goto(quire.addressOf('/teams?from=there'))
  await page.getByText('This token is not taken here').waitFor()
  expect(page.url()).toBe(quire.addressOf('/teams?from=there'))
  await signIn(page, (await readFile(join(data, 'token'), 'utf8')).trim())
  await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor()
  expect(page.url()).toBe(quire.addressOf('/teams?from=there'))
})
