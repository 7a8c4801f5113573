import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { startHub } from '@quire/testbed/hub'
import { afterEach, expect, test } from 'vitest'
import { openSession } from './notebook.fixture.ts'
import { TOKEN } from './notebook-clients.fixture.ts'
import {
  CONFIG,
  type ExtendedJupyter,
  environmentOf,
  installExtension,
  logIn,
  startExtended,
} from './notebook-extension.fixture.ts'

/** Several servers are started one after the other. */
const DEADLINE_MS = 60_000

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test('a login handler of its own decides, and the key that lets the tools past it is good for nothing else', {
  timeout: DEADLINE_MS,
}, async () => {
  verifies('NB-EXT-12')
  const jupyter = await start({ token: TOKEN }, async (folder) => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, CONFIG), OWN_LOGIN)
  })
  const call = async (headers: Record<string, string>) => {
    const body = '{"tool_name":"execute_code","arguments":{"code":"1"}}'
    return fetch(`${jupyter.url}/mcp/tools/call`, { method: 'POST', headers, body })
  }
  expect((await call({ authorization: `Bearer ${TOKEN}` })).status).toBe(403)
  expect((await call({ authorization: `token ${TOKEN}` })).status).toBe(403)
  expect((await call({ authorization: 'Bearer signed-by-us' })).status).toBe(200)
  const session = await openSession(jupyter.url, 'signed-by-us')
  // The tools get in, too, though no token of the server's does.
  expect(await session.call('list_kernelspecs')).toContain('python3')

  const { NOTEBOOK_TOKEN: key = '' } = environmentOf(await jupyter.childPid())
  expect(key).toMatch(/^[\w-]{43}$/)
  const withKey = (method: string, path: string, options: object = {}) =>
    statusOf(
      `${jupyter.url}${path}`,
      { method, ...options },
      {
        authorization: `token ${key}`,
        'content-length': '0',
      },
    )
  expect(await withKey('GET', '/api/contents')).toBe(200)
  for (const [method, path] of [
    ['GET', '/mcp/healthz'],
    ['POST', '/mcp/tools/call'],
    ['GET', '/api/terminals'],
    ['POST', '/api/shutdown'],
    ['GET', '/api/config/notebook'],
  ] as const)
    expect(await withKey(method, path), path).toBe(403)
  expect(await withKey('GET', '/api/contents', { localAddress: '127.0.0.2' })).toBe(403)
  const forwarded = { authorization: `token ${key}`, 'x-forwarded-for': '127.0.0.1' }
  expect(await statusOf(`${jupyter.url}/api/contents`, {}, forwarded)).toBe(403)
  const wrong = { authorization: `token ${key.slice(1)}` }
  expect(await statusOf(`${jupyter.url}/api/contents`, {}, wrong)).toBe(403)
})

test('two servers of one user, one of which has a password alone', { timeout: DEADLINE_MS }, async () => {
  const [first, second] = await Promise.all([
    start({ token: TOKEN }),
    start({ token: '', password: 'open-sesame-2' }),
  ])
  await Promise.all([first, second].map(({ root }, index) => writeFile(join(root, `of-${index}.txt`), '')))
  const { cookie, xsrf } = await logIn(second.url, 'open-sesame-2')
  const body = '{"tool_name":"list_files"}'
  const [one, other] = await Promise.all([
    fetch(`${first.url}/mcp/tools/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body,
    }),
    fetch(`${second.url}/mcp/tools/call`, { method: 'POST', headers: { cookie, 'x-xsrftoken': xsrf }, body }),
  ])
  const texts = [await one.text(), await other.text()]
  expect(texts[0]).toMatch(/of-0(?!.*of-1)/s)
  expect(texts[1]).toMatch(/of-1(?!.*of-0)/s)
  const children = await Promise.all([first.childPid(), second.childPid()])
  const [mine = {}, yours = {}] = children.map(environmentOf)
  expect(mine.NOTEBOOK_MCP_SOCKET).not.toBe(yours.NOTEBOOK_MCP_SOCKET)
  expect(mine.MCP_TOKEN).not.toBe(yours.MCP_TOKEN)
})

test('a hub lets each user to his own tools', { timeout: DEADLINE_MS }, async () => {
  verifies('NB-EXT-1', 'NB-EXT-9')
  const hub = await startHub()
  cleanups.push(hub.stop)
  const startFor = async (name: string) => {
    const { url } = await hub.createUser(name, { start: false })
    const folder = join(hub.folder, 'home', name, '.jupyter')
    // As "jupyter server extension enable" leaves it: what this says of extensions must not undo what we say.
    await mkdir(folder, { recursive: true })
    const others = { ServerApp: { jpserver_extensions: { not_ours: false } } }
    await writeFile(join(folder, 'jupyter_server_config.json'), JSON.stringify(others))
    expect((await installExtension('--config-dir', folder)).code).toBe(0)
    await hub.startServer(name)
    cleanups.push(() => hub.stopServer(name))
    return { url, token: await hub.token(name, ['access:servers!user']) }
  }
  const [alice, bob] = await Promise.all([startFor('alice'), startFor('bob')])
  const stranger = await hub.token('alice', ['read:users!user'])
  for (const [server, token] of [
    [alice, ''],
    [alice, stranger],
    [alice, bob.token],
    [bob, alice.token],
  ] as const)
    for (const path of ['/mcp', '/mcp/healthz', '/mcp/tools/list']) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${server.url}${path}`, { headers, redirect: 'manual' })
      expect(answer.status, path).toBe(403)
    }
  for (const [name, { url, token }] of Object.entries({ alice, bob })) {
    const session = await openSession(url, token)
    const notebook = { notebook_name: 'a', notebook_path: `of-${name}.ipynb`, mode: 'create' }
    await session.call('use_notebook', notebook)
    expect(await session.call('execute_code', { notebook_name: 'a', code: 'print(6 * 7)' })).toContain('42')
    expect(existsSync(join(hub.folder, 'home', name, `of-${name}.ipynb`))).toBe(true)
  }
})

async function start(...args: Parameters<typeof startExtended>): Promise<ExtendedJupyter> {
  const jupyter = await startExtended(...args)
  cleanups.push(jupyter.stop)
  return jupyter
}

/** By the module that lets a client choose the address it comes from. */
function statusOf(url: string, options: object, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', reject).end()
  })
}

/** Tokens of somebody else's, and no other. */
const OWN_LOGIN = `
from jupyter_server.auth.login import LoginHandler
class OwnLogin(LoginHandler):
    @classmethod
    def get_user(cls, handler):
        if handler.request.headers.get("Authorization") != "Bearer signed-by-us":
            return None
        handler._token_authenticated = True
        return "ada"
c.ServerApp.login_handler_class = OwnLogin
`
