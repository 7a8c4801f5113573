import { existsSync, readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openSession } from './notebook.fixture.ts'
import { connectToPort, longRun, TOKEN } from './notebook-clients.fixture.ts'
import {
  commandLine,
  type ExtendedJupyter,
  environmentOf,
  startExtended,
} from './notebook-extension.fixture.ts'

const bearer = { authorization: `Bearer ${TOKEN}` }
const MIB = 1024 * 1024

let jupyter: ExtendedJupyter
beforeAll(async () => {
  jupyter = await startExtended({ token: TOKEN })
  await jupyter.whenHealthy(bearer)
})
afterAll(() => jupyter?.stop())

const post = (
  path: string,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
  more: object = {},
) =>
  fetch(`${jupyter.url}${path}`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json', ...headers },
    body,
    ...more,
  })

test('progress comes while the code runs; code that runs too long is interrupted, and who goes away stops it', async () => {
  verifies('NB-EXT-16')
  const { call, close } = await connectToPort(jupyter.url, 'auto')
  onTestFinished(close)
  const notebook = { notebook_name: 'long' }
  await call('use_notebook', { ...notebook, notebook_path: 'long.ipynb', mode: 'create' })
  // It ends only after we have let it go, which we do only after its progress has come.
  const seen = longRun(jupyter, 'seen')
  const ended = call('execute_code', { ...notebook, code: seen.code }, seen.options)
  await seen.hasBegun
  await seen.letGo()
  expect((await ended).text).toContain('seen has ended')
  const late = longRun(jupyter, 'late')
  const result = await call('execute_code', { ...notebook, code: late.code, timeout: 2 }, late.options)
  await late.hasBegun
  expect(result.text).toMatch(/timed out|timeout|TIMEOUT/i)
  await vi.waitUntil(late.wasInterrupted, { timeout: 30_000 })
  const leaving = new AbortController()
  const left = longRun(jupyter, 'left', leaving.signal)
  const cancelled = expect(
    call('execute_code', { ...notebook, code: left.code }, left.options),
  ).rejects.toThrow()
  await left.hasBegun
  leaving.abort()
  await cancelled
  await vi.waitUntil(left.wasInterrupted, { timeout: 30_000 })
})

test('a connection that is closed ends the call, with no word of the protocol', async () => {
  const { call, close } = await connectToPort(jupyter.url, 'auto')
  onTestFinished(close)
  const notebook = { notebook_name: 'closed' }
  await call('use_notebook', { ...notebook, notebook_path: 'closed.ipynb', mode: 'create' })
  const run = longRun(jupyter, 'closed')
  const leaving = new AbortController()
  const body = JSON.stringify({ tool_name: 'execute_code', arguments: { ...notebook, code: run.code } })
  const asked = expect(post('/mcp/tools/call', body, {}, { signal: leaving.signal })).rejects.toThrow()
  await vi.waitUntil(() => existsSync(join(jupyter.root, 'closed.runs')), { timeout: 30_000 })
  leaving.abort()
  await asked
  await vi.waitUntil(run.wasInterrupted, { timeout: 30_000 })
})

test('fifty calls at once have each its own answer', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `call-${index}.txt`)
  await Promise.all(names.map((name) => writeFile(join(jupyter.root, name), '')))
  const texts = await Promise.all(
    names.map(async (pattern) => {
      const body = JSON.stringify({ tool_name: 'list_files', arguments: { pattern } })
      return (await post('/mcp/tools/call', body)).text()
    }),
  )
  for (const [index, text] of texts.entries())
    expect([...new Set(text.match(/call-\d+\.txt/g))], text).toEqual([names[index]])
})

test('a body that is too large is refused, whether its length is told or not, and the next is not', async () => {
  const refusal = { jsonrpc: '2.0', id: null, error: { message: expect.stringContaining('larger than') } }
  const large = 'x'.repeat(20 * MIB)
  const told = await post('/mcp', large)
  expect(told.status).toBe(413)
  expect(await told.json()).toMatchObject(refusal)
  const untold = await post('/mcp', new Blob([large]).stream(), {}, { duplex: 'half' })
  expect(untold.status).toBe(413)
  // The process refuses this one by its first line, long before it could have read it.
  const early = await post('/mcp', 'x'.repeat(MIB), { 'mcp-protocol-version': 'none' })
  expect(early.status).toBe(400)
  expect((await post('/mcp/tools/call', '{"tool_name":"list_files"}')).status).toBe(200)
})

test('when the process is killed in the middle of a call, the caller is told, and the next one is served', async () => {
  const { call, close } = await connectToPort(jupyter.url, 'auto')
  onTestFinished(close)
  for (const name of ['waiting', 'cut'])
    await call('use_notebook', { notebook_name: name, notebook_path: `${name}.ipynb`, mode: 'create' })
  const run = longRun(jupyter, 'cut')
  const streamed = call('execute_code', { notebook_name: 'cut', code: run.code }, run.options)
  const told = expect(streamed).rejects.toThrow(/process of the notebook tools ended.*started again/)
  await run.hasBegun
  const waiting = longRun(jupyter, 'waiting')
  const plain = post(
    '/mcp/tools/call',
    JSON.stringify({
      tool_name: 'execute_code',
      arguments: { notebook_name: 'waiting', code: waiting.code },
    }),
  )
  await vi.waitUntil(() => existsSync(join(jupyter.root, 'waiting.runs')), { timeout: 30_000 })
  const before = await jupyter.childPid()
  process.kill(before, 'SIGKILL')
  await told
  expect((await plain).status).toBe(502)
  await run.letGo()
  await waiting.letGo()
  await jupyter.childPid(before)
  // Whoever asks meanwhile waits until it is there.
  const session = await openSession(jupyter.url, TOKEN)
  expect(await session.call('list_files', { pattern: 'cut*' })).toContain('cut.ipynb')
  expect(jupyter.log()).toContain('ended with -9; next start in')
})

test('only this user can reach the process, and nothing tells the secrets', async () => {
  const child = await jupyter.childPid()
  const { NOTEBOOK_MCP_SOCKET: socket = '', MCP_TOKEN: secret = '' } = environmentOf(child)
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
  expect(statSync(socket).isSocket()).toBe(true)
  expect(secret).toMatch(/^[\w-]{43}$/)
  for (const text of [commandLine(child), jupyter.log()]) expect(text).not.toContain(secret)
  expect(commandLine(child)).not.toContain(TOKEN)
})

test.each(['SIGTERM', 'SIGKILL'])(
  'it ends with the notebook server by %s, and leaves nothing',
  async (signal) => {
    await jupyter.whenHealthy(bearer)
    const child = await jupyter.childPid()
    const folder = dirname(environmentOf(child).NOTEBOOK_MCP_SOCKET ?? '')
    expect(existsSync(folder)).toBe(true)
    process.kill(jupyter.pid(), signal)
    await vi.waitUntil(() => commandLine(child) === '' && !existsSync(folder), { timeout: 30_000 })
    await jupyter.restart()
  },
)

test('what is left of processes that were all killed is taken away by the next start', async () => {
  await jupyter.whenHealthy(bearer)
  const child = await jupyter.childPid()
  const folder = dirname(environmentOf(child).NOTEBOOK_MCP_SOCKET ?? '')
  process.kill(child, 'SIGSTOP')
  process.kill(jupyter.pid(), 'SIGKILL')
  process.kill(child, 'SIGKILL')
  await vi.waitUntil(() => commandLine(child) === '', { timeout: 30_000 })
  expect(readdirSync(tmpdir())).toContain(folder.slice(tmpdir().length + 1))
  await jupyter.restart()
  await jupyter.whenHealthy(bearer)
  expect(existsSync(folder)).toBe(false)
})

test('a process that never starts is tried again ever more seldom, which the log and the answers say', async () => {
  await jupyter.configure('\nc.QuireNotebook.command = ["/bin/false"]\n')
  for (const pause of ['0.5', '1.0'])
    await vi.waitUntil(() => jupyter.log().includes(`ended with 1; next start in ${pause} s`), {
      timeout: 30_000,
    })
  const answer = await post('/mcp', '{"jsonrpc":"2.0","id":"mine","method":"ping"}')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await answer.json()).toEqual({
    jsonrpc: '2.0',
    id: 'mine',
    error: { code: -32000, message: expect.stringContaining('ended with 1') },
  })
  const health = await fetch(`${jupyter.url}/mcp/healthz`, { headers: bearer })
  expect([health.status, await health.json()]).toMatchObject([503, { status: 'starting' }])
})

test('neither side sees more of the other than it needs', async () => {
  const command = JSON.stringify([process.execPath, '-e', MIRROR])
  await jupyter.configure(`\nc.QuireNotebook.command = ${command}\n`)
  await jupyter.whenHealthy(bearer)
  const hidden = { cookie: 'a=b', 'x-forwarded-for': '10.0.0.1', 'x-xsrftoken': 'c', te: 'trailers' }
  const shown = { 'mcp-session-id': 'd', 'last-event-id': 'e', traceparent: 'f', accept: 'g/h' }
  const answer = await post('/mcp', '{}', { ...hidden, ...shown })
  const { authorization, ...others } = (await answer.json()) as Record<string, string>
  expect(authorization).toMatch(/^Bearer [\w-]{43}$/)
  expect(others).toEqual({
    ...shown,
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': '2',
  })
  expect(answer.headers.get('mcp-session-id')).toBe('i')
  expect(answer.headers.getSetCookie().join()).not.toContain('x=y')
  expect(answer.headers.get('x-powered-by')).toBeNull()
  const refused = await post('/mcp', '{}', { 'mcp-method': 'refuse' })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([502, null])
  // Half an answer must not pass for a whole one.
  await expect(post('/mcp', '{}', { 'mcp-method': 'halve' }).then((half) => half.text())).rejects.toThrow()
})

/** Stands in the place of the tools, and answers with the headers that it was asked with. */
const MIRROR = `
const server = require('node:http').createServer((request, response) => {
  const method = request.headers['mcp-method']
  response.setHeader('set-cookie', 'x=y').setHeader('www-authenticate', 'Bearer').setHeader('x-powered-by', 'z')
  response.setHeader('mcp-session-id', 'i').setHeader('content-type', 'application/json')
  if (method === 'halve') return response.write('{', () => request.socket.destroy())
  response.writeHead(method === 'refuse' ? 401 : 200).end(JSON.stringify(request.headers))
})
server.listen(process.env.NOTEBOOK_MCP_SOCKET, () => console.log('The notebook tools are at x/mcp'))
process.stdin.on('end', () => process.exit()).resume()
`
