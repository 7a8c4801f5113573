import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verifies } from '@quire/spec/verifies'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { upSettings } from './config.ts'

const launcher = fileURLToPath(new URL('../bin/quire.mjs', import.meta.url))

let dataDir: string
const running: RunningProcess[] = []
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'quire-up-')), 'data')
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')))
  rmSync(join(dataDir, '..'), { recursive: true })
})

const quire = (args: string[], env: Record<string, string> = {}) => {
  // The notebook server inside has tests of its own, and only one of us could have its folder.
  const one = startProcess(process.execPath, [launcher, ...args], {
    env: { QUIRE_DATA_DIR: dataDir, NOTEBOOK_URL: 'http://127.0.0.1:9', ...env },
  })
  running.push(one)
  return one
}
const up = async (args: string[] = [], env: Record<string, string> = {}) => {
  const one = quire(['up', '--port', '0', ...args], env)
  const [, url = ''] = await one.waitFor(/Quire is at (\S+)\//)
  return { ...one, url, port: Number(new URL(url).port) }
}
const get = async (url: string, token?: string) =>
  (await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status
const tokenIn = (folder: string) => readFileSync(join(folder, 'token'), 'utf8').trim()

test('tells how the whole is, to everybody, and shows it to people', async () => {
  verifies('ALL-UP-8', 'ALL-AUTH-5')
  const { url } = await up()
  const health = await fetch(`${url}/health`)
  expect(await health.json()).toMatchObject({
    status: 'healthy',
    services: { notebook: 'running', runtime: 'running', composer: 'running', teams: 'running' },
  })
  const page = await fetch(`${url}/`)
  expect(page.url).toBe(`${url}/ui/`)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
  expect(await page.text()).toContain('<title>Quire</title>')
})

test('every service is described and measured where people look for it', async () => {
  verifies('ALL-DOCS-1', 'ALL-DOCS-2', 'ALL-DOCS-3', 'ALL-METRICS-1')
  const { url } = await up()
  const headers = { authorization: `Bearer ${tokenIn(dataDir)}` }
  for (const service of ['notebook', 'runtime', 'composer', 'teams']) {
    for (const page of ['docs', 'redoc']) {
      const answer = await fetch(`${url}/${service}/${page}`)
      expect([service, page, answer.status]).toEqual([service, page, 200])
      expect(answer.headers.get('content-type')).toContain('text/html')
      await answer.body?.cancel()
    }
    const description = await (await fetch(`${url}/${service}/openapi.json`)).json()
    expect(description).toMatchObject({
      openapi: expect.stringMatching(/^3\./),
      info: { title: expect.stringMatching(/^Quire/) },
    })
    const metrics = await fetch(`${url}/${service}/metrics`, { headers })
    expect([service, metrics.status, await metrics.text()]).toEqual([
      service,
      200,
      expect.stringContaining('# TYPE http_request'),
    ])
  }
})

test('has the notebook tools inside, behind its own token', async () => {
  const { url, output, stop } = await up([], { NOTEBOOK_TOKEN: 'canary-0123456789' })
  const headers = {
    authorization: `Bearer ${tokenIn(dataDir)}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  const initialize = (init: object) =>
    fetch(`${url}/notebook/mcp`, { method: 'POST', body, headers, ...init })
  expect((await initialize({ headers: { 'content-type': 'application/json' } })).status).toBe(401)
  expect(await (await initialize({})).text()).toContain('serverInfo')
  expect(await get(`${url}/notebook/openapi.json`)).toBe(200)
  for (const [method, path] of [
    ['GET', 'healthz'],
    ['PUT', 'connect'],
    ['DELETE', 'stop'],
  ] as const)
    expect((await fetch(`${url}/notebook/api/${path}`, { method, headers })).status).toBe(404)
  expect(await stop()).toBe(0)
  expect(output.stderr).not.toContain('canary')
})

test('has the composer inside, which runs the servers of its file', async () => {
  const { url, stop } = await up()
  const file = join(dataDir, 'composer', 'quire.toml')
  expect(readFileSync(file, 'utf8')).toContain('[servers]')
  const script = fileURLToPath(new URL('../../composer/src/fixtures/rough-server.ts', import.meta.url))
  writeFileSync(
    file,
    `[[servers.proxied.stdio]]\nname = "rough"\ncommand = ${JSON.stringify([process.execPath, script])}\n`,
  )
  const api = `${url}/composer/api/v1`
  expect(await get(`${api}/tools`)).toBe(401)
  const headers = {
    authorization: `Bearer ${tokenIn(dataDir)}`,
    'content-type': 'application/json',
  }
  expect((await fetch(`${api}/config/reload`, { method: 'POST', headers })).status).toBe(200)
  const ofServer = async () => (await fetch(`${api}/servers/rough`, { headers })).json()
  await expect.poll(ofServer).toMatchObject({ state: 'running' })
  const call = { method: 'POST', headers, body: '{"text":"hello"}' }
  const answer = await fetch(`${api}/tools/rough:echo/invoke`, call)
  expect(await answer.text()).toContain('hello')
  expect(await get(`${url}/composer/openapi.json`)).toBe(200)
  expect(await stop()).toBe(0)
})

test('a page of a tool behind the composer calls tools of its own server, and no others', async () => {
  const { url } = await up(['--insecure-noauth'])
  const fixture = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const server = (name: string, path: string) =>
    `[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ${JSON.stringify([process.execPath, fixture(path)])}\n`
  writeFileSync(
    join(dataDir, 'composer', 'quire.toml'),
    server('rough', 'composer/src/fixtures/rough-server.ts') +
      server('app', 'mcp/src/fixtures/app-server.ts'),
  )
  expect((await fetch(`${url}/composer/api/v1/config/reload`, { method: 'POST' })).status).toBe(200)
  const api = `${url}/runtime/api/v1`
  const toolsets = async () => (await fetch(`${api}/configure/mcp-toolsets-status`)).text()
  await expect.poll(toolsets).toContain('app__weather')
  await expect.poll(toolsets).toContain('rough__echo')
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const answer = await fetch(api + path, { ...init, body: JSON.stringify(body) })
    return { status: answer.status, body: await answer.json() }
  }
  const shownBy = 'composer__app__weather'
  const prompt = { message: `call ${shownBy}`, conversation_id: 'shown' }
  expect((await post('/agents/guide/prompt/sync', prompt)).body).toMatchObject({
    tool_calls: [{ name: shownBy }],
  })
  const call = (tool: string, more: object = { shown_by: shownBy }) =>
    post(`/mcp-ui/toolsets/composer/tools/${tool}/call`, { session_id: 'shown', ...more })
  expect(await call('refresh')).toMatchObject({
    status: 200,
    body: { content: [{ text: 'called refresh' }] },
  })
  expect((await call('echo')).status).toBe(404)
  expect((await call('rough__echo')).status).toBe(404)
  expect((await call('refresh', {})).status).toBe(403)
})

test('offers the notebook tools through the composer, to everybody but those who have them already', async () => {
  const { url } = await up(['--insecure-noauth'])
  const api = `${url}/composer/api/v1`
  const servers = async () => (await fetch(`${api}/servers`)).json()
  await expect.poll(servers).toMatchObject({
    servers: [{ name: 'notebook', state: 'running', transport: 'embedded', built_in: true }],
  })
  const tools = await fetch(`${api}/tools?server=notebook`)
  expect(await tools.text()).toContain('"notebook:insert_cell"')
  // There is no Jupyter at that address, which is the tool's own word.
  const body = '{"path":""}'
  const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  expect(await (await fetch(`${api}/tools/notebook:list_files/invoke`, call)).text()).toContain('127.0.0.1:9')
  const info = async () => (await fetch(`${url}/runtime/api/v1/configure/mcp-toolsets-status`)).json()
  await expect
    .poll(info)
    .toMatchObject({ servers: { notebook: { ready: true }, composer: { ready: true, tools: [] } } })
  writeFileSync(
    join(dataDir, 'composer', 'quire.toml'),
    '[[servers.proxied.stdio]]\nname = "notebook"\ncommand = ["false"]\n',
  )
  expect((await fetch(`${api}/config/reload`, { method: 'POST' })).status).toBe(200)
  expect(await servers()).toMatchObject({ servers: [{ name: 'notebook', transport: 'stdio' }] })
})

test('has the agents inside, with the tools of the other two', async () => {
  const { url, output, stop } = await up()
  const api = `${url}/runtime/api/v1`
  expect(await get(`${api}/agents`)).toBe(401)
  expect(await get(`${url}/runtime/openapi.json`)).toBe(200)
  expect(await get(`${api}/health`)).toBe(200)
  const headers = { authorization: `Bearer ${tokenIn(dataDir)}`, 'content-type': 'application/json' }
  const toolsets = async () => (await fetch(`${api}/configure/mcp-toolsets-status`, { headers })).json()
  await expect
    .poll(toolsets)
    .toMatchObject({ ready_count: 2, servers: { notebook: { ready: true }, composer: { ready: true } } })
  // A new token of the owner is none of their business.
  expect(await quire(['token', 'rotate']).exited).toBe(0)
  const renewed = { ...headers, authorization: `Bearer ${tokenIn(dataDir)}` }
  const body = JSON.stringify({ message: 'call notebook__list_notebooks' })
  const answer = await fetch(`${api}/agents/guide/prompt/sync`, { method: 'POST', headers: renewed, body })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ tool_calls: [{ name: 'notebook__list_notebooks' }] })
  const left = await fetch(`${api}/agents/guide/prompt`, { method: 'POST', headers: renewed, body })
  expect(await left.text()).toContain('"type":"done"')
  expect(await stop()).toBe(0)
  expect(output.stderr).not.toMatch(/an MCP (?:connection was lost|server could not)/)
})

test('makes a token at the first start, keeps it to itself, and uses it again', async () => {
  verifies('ALL-UP-1', 'ALL-UP-3', 'ALL-UP-4', 'ALL-UP-6', 'ALL-DATA-4')
  const first = await up()
  const token = tokenIn(dataDir)
  expect(statSync(join(dataDir, 'token')).mode & 0o777).toBe(0o600)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(first.output.stdout).toContain(join(dataDir, 'token'))
  expect(await get(`${first.url}/metrics`)).toBe(401)
  expect(await get(`${first.url}/metrics`, token)).toBe(200)
  expect(await first.stop()).toBe(0)
  const second = await up()
  expect(await get(`${second.url}/metrics`, token)).toBe(200)
  for (const { output } of [first, second]) expect(output.stdout + output.stderr).not.toContain(token)
})

test('takes the token of the environment, or of a file that it names', async () => {
  verifies('ALL-UP-2', 'ALL-OPS-5')
  const token = 'a-token-of-my-own-making-0123456789'
  const first = await up([], { QUIRE_TOKEN: token })
  expect(await get(`${first.url}/metrics`, token)).toBe(200)
  expect(existsSync(join(dataDir, 'token'))).toBe(false)
  await first.stop()
  await quire(['token', 'make']).exited
  const second = await up(['--data', join(dataDir, 'other')], { QUIRE_TOKEN_FILE: join(dataDir, 'token') })
  expect(await get(`${second.url}/metrics`, tokenIn(dataDir))).toBe(200)
})

test('on a terminal the address carries the token behind "#"', async () => {
  verifies('ALL-UP-5', 'ALL-LOG-2')
  const command = `${process.execPath} ${launcher} up --port 0`
  const one = startProcess('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { QUIRE_DATA_DIR: dataDir, TERM: 'xterm' },
  })
  running.push(one)
  const [, url, token] = await one.waitFor(/Quire is at (http:\S+)\/#token=(\S+)/)
  expect(token).toBe(tokenIn(dataDir))
  await get(`${url}/health`)
  await one.waitFor(/INFO.*request/)
  expect(one.output.stdout.match(new RegExp(token ?? '', 'g'))).toHaveLength(1)
})

test('a rotated token counts at once, without a restart', async () => {
  const { url } = await up()
  const before = tokenIn(dataDir)
  expect(await quire(['token', 'rotate']).exited).toBe(0)
  const after = tokenIn(dataDir)
  expect(after).not.toBe(before)
  expect([await get(`${url}/metrics`, after), await get(`${url}/metrics`, before)]).toEqual([200, 401])
})

test('without a token only when told so, and only on loopback', async () => {
  verifies('ALL-UP-9', 'ALL-UP-10')
  const { url, output } = await up(['--insecure-noauth'])
  expect(await get(`${url}/metrics`)).toBe(200)
  expect(output.stderr).toContain('authentication is off')
  const refused = quire(['up', '--insecure-noauth', '--host', '0.0.0.0', '--port', '0'])
  expect(await refused.exited).toBe(1)
  expect(refused.output.stderr).toMatch(/^quire: --insecure-noauth .*works on loopback only.*\n$/)
})

test('answers to loopback names, and to those it is told', async () => {
  verifies('ALL-BIND-1', 'ALL-HOST-2', 'ALL-HOST-3', 'ALL-ORIGIN-4')
  const { port } = await up([
    '--allowed-host',
    'notebooks.example.org',
    '--allowed-origin',
    'https://app.example.org',
  ])
  const status = async (host: string, origin?: string) =>
    (
      await sendRaw(
        port,
        `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${origin ? `Origin: ${origin}\r\n` : ''}\r\n`,
      )
    ).status
  for (const host of ['localhost', '127.0.0.1', `[::1]:${port}`, 'notebooks.example.org'])
    expect(await status(host), host).toBe(200)
  expect(await status('other.example.org')).toBe(421)
  expect(await status('localhost', 'https://app.example.org')).toBe(200)
  expect(await status('localhost', 'https://other.example.org')).toBe(403)
})

test('believes a proxy only when told so, and gives its public address as its own', async () => {
  verifies('ALL-OPS-3', 'ALL-OPS-4')
  const trusting = quire([
    'up',
    '--port',
    '0',
    '--trust-proxy',
    '127.0.0.1',
    '--public-url',
    'https://quire.example.org',
  ])
  await trusting.waitFor(/Quire is at https:\/\/quire\.example\.org\/ /)
  for (const [args, address] of [
    [['--trust-proxy', '127.0.0.1'], '198.51.100.7'],
    [[], '127.0.0.1'],
  ] as const) {
    const { url, waitFor } = await up([...args])
    await fetch(`${url}/health`, { headers: { 'x-forwarded-for': '198.51.100.7' } })
    const [line] = await waitFor(/\{.*"route":"\/health".*"msg":"request"\}/, 'stderr')
    expect(JSON.parse(line)).toMatchObject({ address, status: 200 })
  }
})

test('listens on 7878 unless told otherwise, and says plainly when a port is taken', async () => {
  verifies('ALL-UP-7')
  expect(upSettings.port.schema.parse(undefined)).toBe(7878)
  const { port } = await up()
  const second = quire(['up', '--port', String(port)])
  expect(await second.exited).toBe(1)
  expect(second.output.stderr).toBe(
    `quire: --port (127.0.0.1:${port}): is in use by another program (EADDRINUSE): stop that program or choose another --port\n`,
  )
})

test.each(['SIGINT', 'SIGTERM'] as const)('stops in an orderly way at %s', async (signal) => {
  const { stop, output } = await up()
  expect(await stop(signal)).toBe(0)
  expect(output.stderr).toContain(`"signal":"${signal}"`)
})

test('logs JSON lines that hold no secret', async () => {
  verifies('ALL-LOG-1', 'ALL-LOG-3')
  const { url, output, stop } = await up(['--log-level', 'trace'])
  const token = tokenIn(dataDir)
  await get(`${url}/metrics`, token)
  await get(`${url}/metrics?token=${token}`)
  await get(`${url}/${token}`, token)
  await stop()
  const lines = output.stderr.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThanOrEqual(3)
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.stringMatching(/Z$/) })
  expect(output.stderr).not.toContain(token)
})
