import { once } from 'node:events'
import { verifies } from '@quire/spec/verifies'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { DroppedMessage, LogMessage } from '../contract.ts'
import { MetricsMessage } from '../contract.ts'
import { POWERLESS, type RunningApi, startApi, TOKEN, tokenFor } from './parts.fixture.ts'

let api: RunningApi
const sockets: WebSocket[] = []

beforeEach(async () => {
  api = await startApi()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  await api.close()
})

const until = (check: () => boolean) => vi.waitUntil(check, { timeout: 30_000, interval: 5 })
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

function open(
  path: string,
  { protocols = [] as string[], options = bearer(TOKEN) as object } = {},
): WebSocket {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}${path}`, protocols, options)
  sockets.push(socket)
  return socket
}

/** Reads from the first message on; those of history may come with the handshake. */
function read<Message>(path: string, with_?: Parameters<typeof open>[1]) {
  const messages: Message[] = []
  const socket = open(path, with_)
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  return { socket, messages, opened: once(socket, 'open') }
}

async function refusalOf(path: string, with_?: Parameters<typeof open>[1]): Promise<number> {
  const socket = open(path, with_)
  socket.on('error', () => undefined) // says once more that the handshake was refused
  const [, response] = await once(socket, 'unexpected-response')
  return response.statusCode
}

const texts = (messages: readonly LogMessage[]) => messages.map(({ message }) => message)

describe('/ws/logs', () => {
  test('sends the last lines, and then those to come', async () => {
    verifies('CO-LOGS-1', 'CO-LOGS-2', 'CO-LOGS-3', 'ALL-DATA-2')
    for (let index = 0; index < 150; index += 1) api.logBook.write('INFO', 'alpha', `line ${index}`)
    const { messages } = read<LogMessage>('/ws/logs')
    await until(() => messages.length === 100)
    expect(messages[0]).toEqual({
      type: 'log',
      id: 50,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'INFO',
      server: 'alpha',
      message: 'line 50',
    })
    api.logBook.write('ERROR', 'beta', 'live')
    await until(() => messages.length === 101)
    expect(messages.at(-1)).toMatchObject({ id: 150, level: 'ERROR', server: 'beta', message: 'live' })
    expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 101 }, (_, index) => 50 + index))
  })

  test.each([
    [0, []],
    [2, ['b', 'c']],
    [1000, ['a', 'b', 'c']],
  ])('sends %i of the last lines where that is asked for', async (history, expected) => {
    verifies('CO-LOGS-2')
    for (const line of ['a', 'b', 'c']) api.logBook.write('INFO', 'alpha', line)
    const { messages, opened } = read<LogMessage>(`/ws/logs?history=${history}`)
    await opened
    await until(() => api.streams.size() === 1)
    api.logBook.write('INFO', 'alpha', 'live')
    await until(() => messages.at(-1)?.message === 'live')
    expect(texts(messages)).toEqual([...expected, 'live'])
  })

  test('filters by server and by level, what was and what comes', async () => {
    verifies('CO-LOGS-4', 'CO-LOGS-5')
    const write = (when: string) => {
      for (const server of ['alpha', 'beta'])
        for (const level of ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const)
          api.logBook.write(level, server, `${when} ${server} ${level}`)
    }
    write('before')
    const beta = read<LogMessage>('/ws/logs?server=beta')
    const grave = read<LogMessage>('/ws/logs?level=ERROR')
    const both = read<LogMessage>('/ws/logs?server=alpha&level=warning')
    await until(() => [beta, grave, both].every(({ messages }) => messages.length > 2))
    write('after')
    await until(
      () => both.messages.length === 6 && grave.messages.length === 8 && beta.messages.length === 10,
    )
    expect(beta.messages.every(({ server }) => server === 'beta')).toBe(true)
    expect(new Set(grave.messages.map(({ level }) => level))).toEqual(new Set(['ERROR', 'CRITICAL']))
    expect(texts(both.messages)).toEqual(
      ['before', 'after'].flatMap((when) =>
        ['WARNING', 'ERROR', 'CRITICAL'].map((level) => `${when} alpha ${level}`),
      ),
    )
  })

  test('tells a slow reader how many lines it has lost, and where', async () => {
    verifies('CO-WS-4')
    const { socket, messages, opened } = read<LogMessage | DroppedMessage>('/ws/logs?history=0')
    await opened
    await until(() => api.streams.size() === 1)
    socket.pause()
    const filler = 'x'.repeat(5_000)
    const lines = 8_000
    for (let index = 0; index < lines; index += 1) {
      api.logBook.write('INFO', 'alpha', filler)
      if (index % 20 === 0) await new Promise(setImmediate)
    }
    socket.resume()
    await until(() => messages.at(-1)?.type === 'log' && (messages.at(-1) as LogMessage).id === lines - 1)
    let next = 0
    let drops = 0
    for (const message of messages) {
      if (message.type === 'log') expect(message.id).toBe(next++)
      else {
        drops += 1
        next += message.count
      }
    }
    expect(next).toBe(lines)
    expect(drops).toBeGreaterThan(0)
  })

  test('loses nothing for many readers', async () => {
    const readers = Array.from({ length: 50 }, () => read<LogMessage>('/ws/logs?history=0'))
    await Promise.all(readers.map(({ opened }) => opened))
    await until(() => api.streams.size() === 50)
    for (let index = 0; index < 100; index += 1) api.logBook.write('INFO', 'alpha', `line ${index}`)
    await until(() => readers.every(({ messages }) => messages.length === 100))
    for (const { messages } of readers)
      expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })
})

describe('/ws/metrics', () => {
  test('sends the numbers at once, and again every second', async () => {
    verifies('CO-WS-1', 'CO-WS-2', 'CO-WS-3', 'CO-STATUS-6')
    const { messages } = read<MetricsMessage>('/ws/metrics')
    await until(() => messages.length === 3)
    for (const message of messages) expect(MetricsMessage.strict().parse(message)).toEqual(message)
    const [first = 0, , third = 0] = messages.map(({ timestamp }) => Date.parse(timestamp))
    // A busy machine may be late, never early.
    expect(third - first).toBeGreaterThan(1_900)
    const { body } = await api.call('/api/v1/status/metrics')
    expect(Object.keys(body)).toEqual(Object.keys(messages[0] ?? {}))
  })
})

describe.each(['/ws/logs', '/ws/metrics'])('%s', (path) => {
  test('takes the token of a browser as a sub-protocol, and never says it back', async () => {
    verifies('CO-WS-5')
    const protocols = ['quire.v1', `quire.bearer.${Buffer.from(TOKEN).toString('base64url')}`]
    const socket = open(path, { protocols, options: { origin: 'http://localhost:5173' } })
    await once(socket, 'open')
    expect(socket.protocol).toBe('quire.v1')
  })

  test.each<[string, number, Parameters<typeof open>[1]]>([
    ['no token', 401, { options: {} }],
    ['a wrong token', 401, { options: bearer('wrong-token-0123456789') }],
    [
      'a wrong token as a sub-protocol',
      401,
      { options: {}, protocols: ['quire.v1', 'quire.bearer.d3Jvbmc'] },
    ],
    ['no scope', 403, { options: bearer(POWERLESS) }],
    ['another scope', 403, { options: bearer(tokenFor('tools:list')) }],
    ['a foreign page', 403, { options: { ...bearer(TOKEN), origin: 'https://evil.example' } }],
  ])('refuses %s with %i, before the upgrade', async (_what, status, with_) => {
    expect(await refusalOf(path, with_)).toBe(status)
    expect(api.streams.size()).toBe(0)
  })

  test('gives a caller so many and no more, and a place back when one leaves', async () => {
    const most = 64
    const first = Array.from({ length: most }, () => open(path))
    await Promise.all(first.map((socket) => once(socket, 'open')))
    expect(await refusalOf(path)).toBe(429)
    await once(open(path, { options: bearer(tokenFor('logs:read')) }), 'open')
    first[0]?.close()
    await until(() => api.streams.size() === most)
    await vi.waitFor(() => once(open(path), 'open', { signal: AbortSignal.timeout(1_000) }), 30_000)
  })

  test('needs logs:read alone', async () => {
    await once(open(path, { options: bearer(tokenFor('logs:read')) }), 'open')
  })

  test('ends when its token is revoked', async () => {
    const { socket, opened } = read(path)
    await opened
    await until(() => api.streams.size() === 1)
    api.revoke()
    expect((await once(socket, 'close'))[0]).toBe(1001)
    await until(() => api.streams.size() === 0)
  })

  test('is 426 for whoever speaks no WebSocket', async () => {
    expect(await api.call(path)).toMatchObject({ status: 426, body: { error_code: 'UPGRADE_REQUIRED' } })
  })
})

test.each([
  'history=-1',
  'history=1001',
  'history=many',
  'history=',
  'history=1.5',
  'history=1&history=2',
  'level=LOUD',
  'level=',
  `server=${'x'.repeat(257)}`,
])('/ws/logs?%s is 400, before the upgrade', async (query) => {
  expect(await refusalOf(`/ws/logs?${query}`)).toBe(400)
})
