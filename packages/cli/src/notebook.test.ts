import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { findFreePort } from '@quire/testbed/free-port'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Environment, LAUNCHER, serverArguments, startStdio, whenServing } from './notebook.fixture.ts'

const TOKEN = 'a-token-of-my-own-0123456789'
/** Nobody listens there, so that nothing outside is needed. */
const NOWHERE = `http://127.0.0.1:${await findFreePort()}`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-notebook-'))
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`, { mode: 0o600 })
  writeFileSync(
    join(folder, 'verifier.mjs'),
    `export default (token) => token === 'ada' ? { subject: 'ada', scopes: ['notebooks:read'] } : null`,
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

/** One server for the tests that only ask. */
let server: Awaited<ReturnType<typeof launch>>
beforeAll(async () => {
  const args = ['--allowed-host', 'x.example', '--allowed-origin', 'https://app.example']
  server = await launch(args, { MCP_TOKEN_FILE: './token', LOG_LEVEL: 'INFO' })
})
afterAll(() => server.stop())

const running: Pick<RunningProcess, 'stop'>[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')))
})
function launch(args: readonly string[], env: Environment) {
  const options = { env: { NOTEBOOK_URL: NOWHERE, ...env }, cwd: folder }
  return whenServing(startProcess(process.execPath, serverArguments(args), options))
}
async function start(args: readonly string[] = [], env: Environment = {}) {
  const one = await launch(args, env)
  running.push(one)
  return one
}
async function stdio(args: readonly string[] = [], env: Environment = {}, nodeArgs: readonly string[] = []) {
  const one = await startStdio(args, { NOTEBOOK_URL: NOWHERE, ...env }, nodeArgs)
  running.push({ stop: one.end })
  return one
}
async function run(args: readonly string[], env: Environment = {}) {
  const one = startProcess(process.execPath, [LAUNCHER, 'notebook', ...args], { env, cwd: folder })
  running.push(one)
  return { code: await one.exited, ...one.output }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const statusOf = async (url: string, token?: string) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(initialize),
  })
  await response.text()
  return response.status
}

describe('without a token', () => {
  test.each([
    [[], {}],
    [['--host', '0.0.0.0'], { MCP_TOKEN: 'None', INSECURE_MCP_NOAUTH: '0' }],
  ])('a server refuses to start, in one line (%j %o)', async (args, env) => {
    verifies('NB-AUTH-3', 'NB-AUTH-4', 'NB-AUTH-5', 'ALL-BIND-2')
    const { code, stdout, stderr } = await run(['start', '--transport', 'streamable-http', ...args], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^quire: [^\n]+ requires MCP client authentication[^\n]+\n$/)
    for (const way of ['MCP_TOKEN', '--mcp-token', '--mcp-token-verifier', '--insecure-mcp-noauth'])
      expect(stderr).toContain(way)
  })

  test('and --insecure-mcp-noauth, it lets everybody in and says so', async () => {
    verifies('NB-AUTH-6', 'NB-FLAG-6', 'NB-GUARD-6')
    const { url, waitFor } = await start(['--insecure-mcp-noauth', '--log-level', 'info'])
    expect(await statusOf(url)).toBe(200)
    expect((await fetch(`${url}/api/stop`, { method: 'DELETE' })).status).toBe(200)
    await waitFor(/"level":"warn".*authentication is off: every program on this machine/, 'stderr')
  })

  test('beyond loopback it says so louder', async () => {
    verifies('ALL-BIND-3', 'ALL-BIND-4')
    const quiet = ['--log-level', 'error']
    const { url, waitFor } = await start(['--host', '0.0.0.0', '--insecure-mcp-noauth', ...quiet])
    expect(await statusOf(url)).toBe(200)
    await waitFor(/AUTHENTICATION IS OFF .* OTHER MACHINES/, 'stderr')
  })
})

describe('over HTTP', () => {
  test('clients show the token of MCP_TOKEN', async () => {
    verifies('NB-AUTH-2', 'NB-ENV-10', 'NB-MODE-3', 'NB-FLAG-7', 'NB-FLAG-19')
    const { url, output } = server
    expect([await statusOf(url), await statusOf(url, 'wrong'), await statusOf(url, TOKEN)]).toEqual([
      401, 401, 200,
    ])
    await server.waitFor(/"msg":"request"/, 'stderr')
    expect(output.stderr).not.toContain('authentication is off')
    expect(output.stdout + output.stderr).not.toContain(TOKEN)
  })

  test('or of --mcp-token, where it is told', async () => {
    verifies('NB-AUTH-2', 'NB-FLAG-5', 'NB-FLAG-8', 'NB-FLAG-9', 'NB-FLAG-19')
    const port = await findFreePort()
    const args = [
      '--host',
      '127.0.0.2',
      '--port',
      String(port),
      '--log-level',
      'silent',
      '--mcp-token',
      'flag-token',
    ]
    const { url, stop, output } = await start(args, { MCP_TOKEN: TOKEN })
    expect(url).toBe(`http://127.0.0.2:${port}`)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    expect([await statusOf(url, TOKEN), await statusOf(url, 'flag-token')]).toEqual([401, 200])
    expect(await stop('SIGTERM')).toBe(0)
    expect(output.stderr).toBe('')
  })

  test.each([
    ['--mcp-token-verifier', ['--mcp-token-verifier', './verifier.mjs'], {}],
    ['NOTEBOOK_MCP_TOKEN_VERIFIER', [], { NOTEBOOK_MCP_TOKEN_VERIFIER: './verifier.mjs' }],
  ])('or one that the module of %s accepts', async (_what, args, env) => {
    verifies('NB-VERIFY-1', 'NB-VERIFY-2', 'NB-VERIFY-3', 'NB-VERIFY-6')
    const { url } = await start(args, { ...env, MCP_TOKEN: TOKEN })
    expect([await statusOf(url, TOKEN), await statusOf(url, 'ada')]).toEqual([401, 200])
  })

  test('names and pages that are added do not open the management routes', async () => {
    verifies('NB-GUARD-8', 'NB-GUARD-9')
    const get = async (path: string, host: string, origin: string) =>
      (
        await sendRaw(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`,
        )
      ).status
    expect(await get('/openapi.json', 'x.example', 'https://app.example')).toBe(200)
    expect(await get('/api/healthz', 'x.example', 'https://app.example')).toBe(421)
    expect(await get('/api/healthz', 'localhost', 'https://app.example')).toBe(403)
  })

  test('a port that is taken is said plainly', async () => {
    const args = ['start', '--transport', 'streamable-http', '--port', String(server.port)]
    const { code, stderr } = await run(args, { MCP_TOKEN: TOKEN })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^quire: --port .*EADDRINUSE.*\n$/)
  })
})

describe('over stdio', () => {
  test('it speaks to the one client that started it, without token and port', async () => {
    verifies('NB-MODE-1', 'NB-MODE-4', 'NB-MODE-5', 'NB-AUTH-8', 'NB-MGMT-17', 'NB-FLAG-7')
    const port = await findFreePort()
    const client = await stdio(['--port', String(port)])
    const { result } = await client.request('tools/list')
    expect(JSON.stringify(result)).toContain('"list_notebooks"')
    await expect(fetch(`http://127.0.0.1:${port}/api/healthz`)).rejects.toThrow()
    expect(await client.end()).toBe(0)
    expect(client.strays).toEqual([])
  })

  test('logs go to stderr, secrets masked, and SIGTERM ends it in an orderly way', async () => {
    const env = { DOCUMENT_URL: 'http://127.0.0.1:10', NOTEBOOK_TOKEN: 'canary-0123456789' }
    const client = await stdio(['--transport', 'stdio'], env)
    await client.request('tools/call', { name: 'list_files', arguments: {} })
    expect(await client.end('SIGTERM')).toBe(0)
    expect(client.log()).toMatch(
      /"level":"warn".*no token and no password is configured for http:\/\/127\.0\.0\.1:10/,
    )
    expect(client.log()).not.toContain('canary')
    expect(client.strays).toEqual([])
  })

  test('it loads nothing that only a server needs', async () => {
    const hooks = `
      import { registerHooks } from 'node:module'
      import { writeSync } from 'node:fs'
      const seen = new Set()
      registerHooks({ resolve: (...args) => { const found = args[2](args[0], args[1]); seen.add(found.url); return found } })
      process.on('exit', () => writeSync(2, [...seen].join('\\n')))`
    const client = await stdio([], {}, ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`])
    await client.request('tools/list')
    expect(await client.end()).toBe(0)
    const loaded = client.log().split('\n')
    expect(loaded.join('\n')).toContain('@modelcontextprotocol/server')
    const heavy = /hono|jose|pino|prom-client|kysely|\/kit\/src\/(?:serve|docs|store)\/|create-app/
    expect(loaded.filter((url) => heavy.test(url))).toEqual([])
  })
})

describe('what is refused in one line', () => {
  test('another transport', async () => {
    verifies('NB-FLAG-1')
    await expectRefusal(['--transport', 'sse'], /--transport .*must be stdio or streamable-http/)
  })

  test('a value behind a switch', async () => {
    verifies('NB-FLAG-6')
    await expectRefusal(['--insecure-mcp-noauth=1'], /insecure-mcp-noauth/)
  })

  test.each<[string, string[], RegExp]>([
    ['a token in an address', ['--notebook-url', 'http://x/?token=canary'], /--notebook-url/],
    ['a default beyond the maximum', ['--execution-timeout', '9999'], /must not be longer than --max/],
    [
      'a verifier that is not there',
      ['--transport', 'streamable-http', '--mcp-token-verifier', './missing.mjs'],
      /--mcp-token-verifier \(\.\/missing\.mjs\): cannot be loaded/,
    ],
    ['half a certificate', ['--transport', 'streamable-http', '--tls-cert', 'x.pem'], /give both or neither/],
  ])('%s', (_what, args, expected) => expectRefusal(args, expected))

  async function expectRefusal(args: readonly string[], expected: RegExp): Promise<void> {
    const { code, stderr } = await run(['start', ...args], { MCP_TOKEN: TOKEN })
    expect(code).toBe(1)
    expect(stderr).toMatch(expected)
    expect(stderr).not.toMatch(/\n\s+at |canary/)
  }
})

describe('connect and stop', () => {
  test('say what went well', async () => {
    const { code, stdout } = await run(['stop', '--server-url', server.url], { MCP_TOKEN: TOKEN })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('has let go of its notebooks'),
    })
  })

  test.each<[string, string[], RegExp]>([
    ['a wrong token', ['stop', '--mcp-token', 'wrong'], /does not accept the token.*MCP_TOKEN or --mcp/],
    [
      'a server that does not answer',
      ['connect', '--mcp-token', TOKEN, '--code-sandbox-url', NOWHERE],
      /refuses \(status 502\): .*127\.0\.0\.1/,
    ],
    [
      'a server by the names of start',
      ['connect', '--mcp-token', TOKEN, '--notebook-url', NOWHERE, '--notebook-token', 'x'],
      /refuses \(status 502\): .*127\.0\.0\.1/,
    ],
    ['no server at all', ['connect', '--mcp-token', TOKEN], /--code-sandbox-url .*name the notebook server/],
    ['a place where nobody is', ['stop', '--server-url', NOWHERE], /Is the notebook service running there\?/],
  ])('say what is wrong with %s', async (_what, args, expected) => {
    const { code, stdout, stderr } = await run(args, { NOTEBOOK_MCP_SERVER_URL: server.url })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(expected)
    expect(stderr).toMatch(/^quire: [^\n]+\n$/)
    expect(stderr).not.toContain(TOKEN)
  })

  test.each<[string, number, string, string]>([
    ['a page', 200, 'text/html', '<html><body>Welcome</body></html>'],
    ['a page that refuses', 403, 'text/html', '<html><body>Forbidden</body></html>'],
    ['a failure', 500, 'text/html', '<html><body>Sorry</body></html>'],
    ['JSON of another kind', 405, 'application/json', '["Welcome"]'],
    ['nothing', 404, 'text/plain', ''],
    ['JSON that is not there', 404, 'application/json', '{"error":"Not Found"}'],
  ])('say that what answers with %s (%i) is no notebook service', async (_what, status, type, body) => {
    const stranger = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body)
    }).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const { port } = stranger.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const { code, stdout, stderr } = await run(['stop', '--server-url', url], { MCP_TOKEN: TOKEN })
    stranger.close()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`What answers at ${url} is no notebook service over HTTP (status ${status}).`)
    expect(stderr).toMatch(/^quire: [^\n]+\n$/)
    expect(stderr).not.toMatch(/[<>]|Welcome/)
  })

  test('do not carry the token to where they are sent on', async () => {
    const seen: (string | undefined)[] = []
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(307, { location: '/elsewhere' }).end()
    }).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const { code } = await run(['stop', '--server-url', `http://127.0.0.1:${port}`], { MCP_TOKEN: TOKEN })
    elsewhere.close()
    expect(code).toBe(1)
    expect(seen).toEqual([`Bearer ${TOKEN}`])
  })
})

test('alone, the command tells what it can do', async () => {
  const { code, stdout } = await run([])
  expect(code).toBe(0)
  expect(stdout).toMatch(/start .*connect .*stop .*Examples:/s)
  const help = await run(['start', '--help'])
  expect(help.stdout).toMatch(/Clients:.*--transport.*Notebook servers:.*Tools:.*HTTP server:.*Examples:/s)
  expect(help.stdout).not.toMatch(/--jupyter-url|--provider/)
})
