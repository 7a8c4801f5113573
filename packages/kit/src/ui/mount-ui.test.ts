import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FRAME_POLICY } from './frame-page.ts'
import { mountUi, UI_POLICY } from './mount-ui.ts'
import { readUiFiles, type UiFiles } from './ui-files.ts'

const SCRIPT = 'console.log("quire")\n'.repeat(100)
let folder: string
let files: UiFiles

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-ui-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<html><head><!--quire--></head></html>')
  await writeFile(join(folder, 'assets/index-abc.js'), SCRIPT)
  await writeFile(join(folder, 'icon.svg'), '<svg/>')
  files = await readUiFiles(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function start(prefix = '', served: Record<string, unknown> = { version: '1' }) {
  const app = new Hono()
  mountUi(app, { files, path: '/ui', prefix, served })
  return (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
}

test.each(['/ui', '/ui/', '/ui/servers', '/ui/tools/a%2Fb', '/ui/notebooks/a/b.ipynb'])(
  '%s is the page, under its policy',
  async (path) => {
    const answer = await start()(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toBe(UI_POLICY)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(await answer.text()).toContain('<base href="/ui/">')
  },
)

test('the page is told below which paths it is, in JSON that cannot end its element', async () => {
  const html = await (await start('/composer', { version: '</script><img src=x>' })('/ui')).text()
  expect(html).toContain('<base href="/composer/ui/">')
  const [, json = ''] = /id="quire-served">(.*?)<\/script>/s.exec(html) ?? []
  expect(JSON.parse(json)).toEqual({ version: '</script><img src=x>', base: '/composer/ui' })
  expect(html).not.toContain('<img')
})

test('a prefix cannot leave its attribute', async () => {
  expect(await (await start('/"><script>')('/ui')).text()).toContain('<base href="/&quot;>&lt;script>/ui/">')
})

test('files that are named by their content are kept for ever, others are asked for again', async () => {
  const ask = start()
  const script = await ask('/ui/assets/index-abc.js')
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(await script.text()).toBe(SCRIPT)
  const icon = await ask('/ui/icon.svg')
  expect(icon.headers.get('cache-control')).toBe('no-cache')
  expect(icon.headers.get('content-security-policy')).toContain('sandbox')
  const again = await ask('/ui/icon.svg', { 'if-none-match': icon.headers.get('etag') ?? '' })
  expect(again.status).toBe(304)
})

test.each([
  ['gzip', true],
  ['br, gzip;q=0.8', true],
  ['gzip;q=0', false],
  ['gzip;q=0.0, br', false],
  ['br', false],
  ['', false],
])('whoever accepts %j gets it compressed: %s', async (accepted, isCompressed) => {
  for (const path of ['/ui', '/ui/assets/index-abc.js']) {
    const answer = await start()(path, { 'accept-encoding': accepted })
    expect(answer.headers.get('content-encoding')).toBe(isCompressed ? 'gzip' : null)
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    const body = Buffer.from(await answer.arrayBuffer())
    expect((isCompressed ? gunzipSync(body) : body).toString()).toMatch(/quire/)
  }
})

test.each([
  '/ui/assets/missing.js',
  '/ui/assets/',
  '/ui/assets/../index.html',
  '/ui/assets/..%2f..%2fpackage.json',
])('%s is no file of the page, and is never another one', async (path) => {
  const answer = await start()(path)
  const text = await answer.text()
  if (answer.status === 200) expect(text).toContain('<base')
  else expect(answer.status).toBe(404)
  expect(text).not.toContain('"name"')
})

test('content of others has a page without an origin', async () => {
  const answer = await start()('/ui/frame')
  expect(answer.headers.get('content-security-policy')).toBe(FRAME_POLICY)
  expect(FRAME_POLICY).toMatch(/^sandbox allow-scripts; default-src 'none'/)
  expect(FRAME_POLICY).not.toMatch(/allow-same-origin|connect-src|https?:/)
})

test('a folder without a page is said to be one', async () => {
  await expect(readUiFiles(join(folder, 'assets'))).rejects.toThrow(/no index.html/)
})
