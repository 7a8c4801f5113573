import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { type Listening, serve } from '@quire/kit/serve/serve'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createCalls } from '../calls/create-calls.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createHttpFront } from '../front/http-front.ts'
import { createSseFront } from '../front/sse-front.ts'
import { superviseLive } from '../gateway/live.fixture.ts'
import { fixture } from '../link/link.fixture.ts'
import { Translator, type TranslatorRequest } from '../translator-contract.ts'
import { isRunning } from './process.fixture.ts'
import { createTranslators, type Translators } from './translators.ts'

const logger = createSilentLogger()
const clients: Client[] = []
const secrets: string[] = []
let listening: Listening
let translators: Translators

/** As the composer serves them. */
beforeAll(async () => {
  listening = await serve({
    host: '127.0.0.1',
    port: 0,
    fetch(request) {
      const [, id = '', way] =
        /^\/translators\/([^/]+)\/(mcp|sse|messages)$/.exec(new URL(request.url).pathname) ?? []
      const { mcp, sse } = translators.fronts(id)
      return (way === 'mcp' ? mcp : sse).fetch(request)
    },
  })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await translators?.close()
})
afterAll(() => listening.close(0))

function create(allowed: readonly string[] = [process.execPath]): Translators {
  translators = createTranslators({
    createSupervisor: superviseLive,
    calls: createCalls(),
    logger,
    frontsFor: (gateway) => ({
      mcp: createHttpFront(gateway, { logger }),
      sse: createSseFront(gateway, { logger }),
    }),
    folder: '/',
    allowCommand: ({ command: [program] }) => allowed.includes(program),
    publicUrl: () => `${listening.url}/`,
    redactor: { add: (secret) => secrets.push(secret) },
    now: () => new Date('2026-11-02T10:00:00Z'),
  })
  return translators
}

function command(name: string, ...args: string[]): TranslatorRequest {
  return { type: 'stdio-to-http', name, command: process.execPath, args, env: { CANARY: 'sesame' } }
}

const plain = (name: string) => command(name, fixture('plain-server.ts'), 'legacy')

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  clients.push(client)
  await client.connect(transport)
  return client
}

async function textOf(client: Client, name: string, args = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return content[0]?.type === 'text' ? content[0].text : ''
}

test('a command is offered over streamable HTTP, and is gone when the translator is', async () => {
  const made = await create().create(plain('weather'))
  const client = await connect(new StreamableHTTPClientTransport(new URL(made.endpoint ?? '')))
  expect(client.getServerVersion()).toMatchObject({ name: 'plain', version: '1.2.3' })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('echo')
  expect(await textOf(client, 'echo', { text: 'hello' })).toBe('hello')
  const pid = Number(await textOf(client, 'pid'))
  expect(isRunning(pid)).toBe(true)
  await translators.remove(made.id)
  expect(isRunning(pid)).toBe(false)
  expect(translators.list()).toEqual([])
  expect(() => translators.fronts(made.id)).toThrow(expect.objectContaining({ code: 'TRANSLATOR_NOT_FOUND' }))
})

test('an old SSE server is offered over streamable HTTP', async () => {
  verifies('CO-TRANS-7')
  const { id } = await create().create(plain('inner'))
  const url = `${listening.url}/translators/${id}/sse?key=sesame`
  const old = await connect(new SSEClientTransport(new URL(url)))
  expect(await textOf(old, 'echo', { text: 'over SSE' })).toBe('over SSE')
  const headers = { 'X-Canary': 'sesame' }
  const made = await translators.create({ type: 'sse-to-http', name: 'outer', url, headers })
  expect(made).toMatchObject({
    type: 'sse-to-http',
    status: 'running',
    url: `${listening.url}/translators/${id}/sse`,
  })
  const client = await connect(new StreamableHTTPClientTransport(new URL(made.endpoint ?? '')))
  expect(await textOf(client, 'echo', { text: 'twice round' })).toBe('twice round')
  expect(JSON.stringify(translators.list())).not.toContain('sesame')
})

test.each([
  ['https://mcp.test/mcp', 'quire composer bridge --url https://mcp.test/mcp'],
  ['https://mcp.test/mcp?a=1&b=$(id)', "quire composer bridge --url 'https://mcp.test/mcp?a=1&b=$(id)'"],
  ["https://mcp.test/'; rm -rf ~", "quire composer bridge --url 'https://mcp.test/'\\'';%20rm%20-rf%20~'"],
])('for %s nothing runs, and the client gets its command', async (url, expected) => {
  verifies('CO-TRANS-8')
  const made = await create().create({ type: 'http-to-stdio', name: 'far', url })
  expect(made).toMatchObject({ status: 'ready', command: expected, url: new URL(url).href })
  expect(made).not.toHaveProperty('endpoint')
  expect(() => translators.fronts(made.id)).toThrow(expect.objectContaining({ code: 'TRANSLATOR_NOT_FOUND' }))
})

test('a record says what there is, and none of its secrets', async () => {
  verifies('CO-TRANS-4')
  const made = await create().create(plain('weather'))
  expect(Translator.strict().parse(made)).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'weather',
    type: 'stdio-to-http',
    status: 'running',
    endpoint: `${listening.url}/translators/${made.id}/mcp`,
    command: `${process.execPath} ${fixture('plain-server.ts')} legacy`,
    created_at: '2026-11-02T10:00:00.000Z',
  })
  expect(translators.list()).toEqual([made])
  expect(JSON.stringify(made)).not.toContain('sesame')
  expect(secrets).toContain('sesame')
})

test('a name is taken once, while it is being taken too', async () => {
  verifies('CO-TRANS-9')
  const first = create().create(plain('weather'))
  const refused = { code: 'TRANSLATOR_EXISTS', problem: { status: 400 } }
  await expect(translators.create(plain('weather'))).rejects.toMatchObject(refused)
  const { id } = await first
  await expect(
    translators.create({ type: 'http-to-stdio', name: 'weather', url: 'http://x.test/' }),
  ).rejects.toMatchObject(refused)
  await translators.remove(id)
  expect(
    await translators.create({ type: 'http-to-stdio', name: 'weather', url: 'http://x.test/' }),
  ).toMatchObject({
    name: 'weather',
  })
})

test.each(['/bin/sh', 'sh', 'node', `${process.execPath} `, '../node', ''])(
  'the foreign command %j is not run',
  async (program) => {
    verifies('CO-CMD-4')
    create()
    const asked: TranslatorRequest = { type: 'stdio-to-http', name: 'evil', command: [program, '-c', 'id'] }
    await expect(translators.create(asked)).rejects.toMatchObject({
      code: program === '' ? 'VALIDATION_ERROR' : 'COMMAND_NOT_ALLOWED',
      problem: { status: 400 },
    })
    expect(translators.list()).toEqual([])
  },
)

test.each([
  'ftp://mcp.test/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'mcp.test',
  '',
  'http://',
  'https://ada:secret@mcp.test/',
])('the address %j is refused', async (url) => {
  create()
  for (const type of ['sse-to-http', 'http-to-stdio'] as const) {
    const failed = translators.create({ type, name: 'far', url })
    await expect(failed).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      problem: { errors: [{ path: 'body.url' }] },
    })
    await expect(failed).rejects.not.toThrow(/secret/)
  }
})

test.each<Record<string, string>>([
  { 'a b': 'sesame' },
  { '': 'sesame' },
  { a: 'sesame\r\nX-Evil: 1' },
  { a: 'sesame\0' },
])('headers %j are refused', async (headers) => {
  const failed = create().create({ type: 'sse-to-http', name: 'far', url: 'http://x.test/', headers })
  await expect(failed).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  await expect(failed).rejects.not.toThrow(/sesame/)
})

test('a server that does not start is told with its reason, and leaves nothing behind', async () => {
  const failed = create().create(command('weather', fixture('rough-server.ts'), 'exits'))
  await expect(failed).rejects.toMatchObject({ code: 'START_FAILED', message: expect.stringContaining('7') })
  expect(translators.list()).toEqual([])
})

test('a server that ends is shown as what it is', async () => {
  const made = await create().create(plain('weather'))
  const client = await connect(new StreamableHTTPClientTransport(new URL(made.endpoint ?? '')))
  await expect(client.callTool({ name: 'die' })).rejects.toThrow()
  expect(translators.list()).toMatchObject([{ status: 'crashed' }])
  await expect.poll(() => translators.list()[0]?.status).toBe('running')
})

test('there is room for so many', async () => {
  create()
  for (let index = 0; index < 32; index += 1)
    await translators.create({ type: 'http-to-stdio', name: `n${index}`, url: 'http://x.test/' })
  await expect(
    translators.create({ type: 'http-to-stdio', name: 'one-more', url: 'http://x.test/' }),
  ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('what is being made when everything ends is ended with it', async () => {
  const making = create().create(plain('weather'))
  await expect.poll(() => translators.list()[0]?.status).toBe('starting')
  await translators.close()
  await expect(making).rejects.toMatchObject({ code: 'START_FAILED' })
  expect(translators.list()).toEqual([])
  await expect(translators.create(plain('other'))).rejects.toMatchObject({ code: 'CANCELLED' })
})

test.each(['', 'x', '../x', '__proto__'])('there is no translator %j', async (id) => {
  await expect(create().remove(id)).rejects.toMatchObject({ code: 'TRANSLATOR_NOT_FOUND' })
})
