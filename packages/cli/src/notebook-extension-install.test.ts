import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serverArguments } from './notebook.fixture.ts'
import { TOKEN } from './notebook-clients.fixture.ts'
import { CONFIG, installExtension } from './notebook-extension.fixture.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-extension-test ü '))
})
afterAll(() => rm(folder, { recursive: true }))

test('adds a block to the configuration, once, and takes exactly that out again', async () => {
  const file = join(folder, CONFIG)
  const own = 'c.ServerApp.open_browser = False  # no newline at the end'
  await writeFile(file, own, { mode: 0o600 })
  const first = await installExtension('--config-dir', folder)
  expect(first.code).toBe(0)
  expect(first.text).toContain(`written into ${file}`)
  expect(first.text).toContain(`--config-dir '${folder}' --uninstall`)
  const installed = await readFile(file, 'utf8')
  expect(installed).toContain(`${own}\n# >>> quire`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await installExtension('--path', folder)).text).toContain(`renewed in ${file}`)
  expect(await readFile(file, 'utf8')).toBe(installed)
  expect((await installExtension('--config-dir', folder, '--uninstall')).text).toContain('taken out')
  expect(await readFile(file, 'utf8')).toBe(`${own}\n`)
  expect((await installExtension('--path', folder, '--remove')).text).toContain('nothing of Quire')
})

test('makes the folder where there is none, and leaves no empty file behind', async () => {
  const fresh = join(folder, 'not', 'there yet')
  expect((await installExtension('--config-dir', fresh)).code).toBe(0)
  expect(existsSync(join(fresh, CONFIG))).toBe(true)
  const enabling = join(fresh, 'jupyter_server_config.d/quire_notebook.json')
  expect(JSON.parse(await readFile(enabling, 'utf8'))).toEqual({
    ServerApp: { jpserver_extensions: { quire_notebook: true } },
  })
  expect((await installExtension('--config-dir', fresh, '--remove')).code).toBe(0)
  expect(readdirSync(fresh)).toEqual([])
})

test('refuses what it cannot mean, what it cannot read, and where it cannot write', async () => {
  const both = await installExtension('--sys-prefix', '--config-dir', folder)
  expect(both).toEqual({ code: 1, text: expect.stringContaining('only one') })
  const broken = join(folder, 'broken')
  await mkdir(broken)
  await writeFile(join(broken, CONFIG), '# >>> quire notebook extension >>>\n')
  const half = await installExtension('--config-dir', broken)
  expect(half).toEqual({ code: 1, text: expect.stringContaining('by hand') })
  const fixed = await installExtension('--config-dir', '/sys/jupyter')
  expect(fixed).toEqual({ code: 1, text: expect.stringContaining('Name a folder that you may write to') })
})

test('the process that the extension starts has no management routes, and ends with the pipe to its parent', async () => {
  verifies('NB-EXT-14')
  const [launcher = '', ...args] = serverArguments([])
  // Nothing can be written to this home.
  const env = {
    PATH: process.env.PATH,
    HOME: '/proc',
    NOTEBOOK_MCP_MODE: 'NOTEBOOK_SERVER',
    MCP_TOKEN: TOKEN,
  }
  const child = spawn(process.execPath, [launcher, ...args], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const [, url = ''] = /at (\S+)\/mcp/.exec(String(line)) ?? []
  const headers = { authorization: `Bearer ${TOKEN}` }
  for (const [method, path] of [
    ['GET', '/api/healthz'],
    ['PUT', '/api/connect'],
    ['DELETE', '/api/stop'],
  ] as const)
    expect((await fetch(url + path, { method, headers })).status, path).toBe(404)
  expect((await fetch(`${url}/mcp`)).status).toBe(401)
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})
