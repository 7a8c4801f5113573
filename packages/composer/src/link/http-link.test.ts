import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { Params } from '../rpc.ts'
import { RpcFault } from '../rpc.ts'
import type { RemoteDefinition } from '../server-definition.ts'
import { call, createAsker, createLinks, rawOf, remote } from './link.fixture.ts'
import {
  answerJson,
  beginStream,
  type RawHttp,
  type RawHttpOptions,
  startRawHttp,
  toResult,
} from './raw-http.fixture.ts'

const links = createLinks()
let http: RawHttp | undefined
afterEach(async () => {
  await links.closeAll()
  await http?.close()
})

async function open(options: RawHttpOptions, extra: Partial<RemoteDefinition> = {}) {
  const server = await startRawHttp(options)
  http = server
  const { link, told } = await links.open(remote(server.url, extra), { maxMessageBytes: 100_000 })
  return { link, told, server }
}

describe('a stream that breaks off', () => {
  test('is taken up after the last event, as often as it brings something new', async () => {
    let waiting: number | string | undefined
    let resumed = 0
    const { link, server } = await open({
      sessionId: 's1',
      onPost({ id }, response) {
        waiting = id
        beginStream(response).end('retry: 5\nid: e0\ndata:\n\n')
        return true
      },
      onGet({ headers }, response) {
        if (headers['last-event-id'] === undefined) return void response.writeHead(405).end()
        resumed += 1
        const isLast = resumed === 8
        beginStream(response).end(isLast ? toResult(waiting, '{"late":true}') : `id: e${resumed}\ndata:\n\n`)
      },
    })
    expect(rawOf(await call(link, 'echo'))).toBe('{"late":true}')
    const gets = server.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([
      'e0',
      'e1',
      'e2',
      'e3',
      'e4',
      'e5',
      'e6',
      'e7',
    ])
    expect(gets[0]?.headers).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-06-18' })
  })

  test.each([
    ['numbers nothing', '', 0],
    ['says nothing new', 'retry: 1\nid: e0\ndata:\n\n', 5],
  ])('from a server that %s is lost', async (_what, start, tries) => {
    let gets = 0
    const { link } = await open({
      onPost(_message, response) {
        beginStream(response).end(start)
        return true
      },
      onGet({ headers }, response) {
        if (headers['last-event-id'] === undefined) return void response.writeHead(405).end()
        gets += 1
        beginStream(response).end()
      },
    })
    await expect(call(link, 'echo')).rejects.toMatchObject({ fault: 'lost' })
    expect(gets).toBe(tries)
  })

  test('with its connection is lost, and so is a JSON answer', async () => {
    const { link } = await open({
      onPost({ params }, response) {
        response.writeHead(200, {
          'content-type': params?.name === 'json' ? 'application/json' : 'text/event-stream',
          'content-length': 500,
        })
        response.write('{"jsonrpc"', () => response.destroy())
        return true
      },
    })
    await expect(call(link, 'json')).rejects.toMatchObject({ fault: 'lost' })
    await expect(call(link, 'stream')).rejects.toMatchObject({ fault: 'lost' })
  })
})

describe('on the stream of a request', () => {
  test('messages go to whoever asked, though others are being served', async () => {
    const { link, server } = await open({
      onPost({ id, params }, response) {
        if (params?.name !== 'tell') return beginStream(response) !== undefined
        const token = JSON.stringify((params._meta as Params | undefined)?.progressToken)
        beginStream(response).end(
          `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}\n\n` +
            'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n' +
            'data: {"jsonrpc":"2.0","method":"notifications/custom","params":{"a":1}}\n\n' +
            'data: nonsense\n\n' +
            toResult(id, '{"done":true}'),
        )
        return true
      },
    })
    const other: string[] = []
    const done = new AbortController()
    const waiting = call(
      link,
      'hang',
      {},
      createAsker({ signal: done.signal, notify: (method) => other.push(method) }),
    )
    const heard: [string, Params][] = []
    const asker = createAsker({ notify: (method, params) => heard.push([method, params]) })
    expect(rawOf(await call(link, 'tell', {}, asker, { progressToken: 'mine' }))).toBe('{"done":true}')
    expect(heard).toEqual([
      ['notifications/progress', { progressToken: 'mine', progress: 1 }],
      ['notifications/message', { level: 'info', data: 1 }],
      ['notifications/custom', { a: 1 }],
    ])
    done.abort(new Error('enough'))
    await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
    await expect.poll(() => server.sent('notifications/cancelled').length).toBe(1)
    const [hung] = server.sent('tools/call').map(({ message }) => message?.id)
    expect(server.sent('notifications/cancelled')[0]?.message?.params).toEqual({
      requestId: hung,
      reason: 'enough',
    })
    expect(other).toEqual([])
  })

  test('questions go to whoever asked, and their answers back', async () => {
    const { link, server } = await open({
      sessionId: 's1',
      onPost({ id, result, error }, response) {
        if (id === 'q' && stream) {
          response.writeHead(202).end()
          stream.end(toResult(call1, JSON.stringify({ result, error })))
          return true
        }
        call1 = id
        stream = beginStream(response)
        stream.write(
          'data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}}\n\n',
        )
        return true
      },
    })
    const refusing = createAsker({
      capabilities: { elicitation: {} },
      ask: () => Promise.reject(new RpcFault(-1, 'no')),
    })
    expect(JSON.parse(rawOf(await call(link, 'ask', {}, refusing)))).toEqual({
      error: { code: -1, message: 'no' },
    })
    const willing = createAsker({
      capabilities: { elicitation: {} },
      ask: async (_method, params) => ({ action: 'accept', content: params }),
    })
    expect(JSON.parse(rawOf(await call(link, 'ask', {}, willing)))).toEqual({
      result: { action: 'accept', content: { message: '?' } },
    })
    const answers = server.requests.filter(({ message }) => message?.id === 'q')
    expect(answers.map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1', 's1'])
  })
  let call1: number | string | undefined
  let stream: ReturnType<typeof beginStream> | undefined
})

describe('a remote', () => {
  test('gets the headers of its definition and of the protocol, and none that would break the request', async () => {
    const { link, server } = await open(
      { sessionId: 's1', onPost: (message, response) => answerJson(response, message, '{}') },
      {
        headers: { 'X-Own': 'kept', 'Content-Length': '3', Connection: 'close', 'Mcp-Session-Id': 'forged' },
      },
    )
    await call(link, 'echo')
    expect(server.sent('tools/call')[0]?.headers).toMatchObject({
      'x-own': 'kept',
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-06-18',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      connection: 'keep-alive',
    })
  })

  test('that forgets the session ends the link, and nothing was done', async () => {
    const { link } = await open({
      sessionId: 's1',
      onPost(_message, response) {
        response.writeHead(404).end()
        return true
      },
    })
    const outcomes = await Promise.allSettled([call(link, 'echo'), call(link, 'echo'), call(link, 'echo')])
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.fault)).toEqual([
      'forgotten',
      'forgotten',
      'forgotten',
    ])
    await expect(link.ended).resolves.toMatchObject({
      isForgotten: true,
      isClosed: false,
      reason: 'has forgotten our session',
    })
    await link.close()
  })

  test('that goes away ends the link', async () => {
    const { link, server } = await open({
      onPost: (_message, response) => beginStream(response) !== undefined,
    })
    const waiting = call(link, 'hang')
    await expect.poll(() => server.sent('tools/call').length).toBe(1)
    await server.close()
    await expect(waiting).rejects.toMatchObject({ fault: 'lost' })
    await expect(link.ended).resolves.toMatchObject({
      isClosed: false,
      reason: expect.stringContaining('is out of reach'),
    })
    await expect(call(link, 'echo')).rejects.toMatchObject({ fault: 'unsent' })
  })

  test('that is not there says so', async () => {
    const gone = await startRawHttp({ onPost: () => false })
    await gone.close()
    await expect(links.open(remote(gone.url))).rejects.toMatchObject({
      fault: 'start',
      message: expect.stringContaining('could not be reached: nothing listens at 127.0.0.1:'),
    })
  })

  test.each([
    ['http', 401, 'wants a valid token: HTTP status 401: not you.'],
    ['http', 403, 'does not let us in: HTTP status 403: not you.'],
    ['http', 404, 'could not be reached: there is no MCP server at this path (HTTP status 404: not you).'],
    ['http', 200, 'could not be reached: what answers there does not speak MCP but sends text/html.'],
    ['sse', 401, 'wants a valid token: HTTP status 401.'],
    ['sse', 404, 'could not be reached: there is no MCP server at this path (HTTP status 404).'],
    ['sse', 200, 'could not be reached: what answers there does not speak MCP.'],
  ] as const)(
    'over %s that answers the handshake with %i says so plainly',
    async (transport, status, words) => {
      const http = createServer((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end('not you')
      }).listen(0, '127.0.0.1')
      try {
        await once(http, 'listening')
        const { port } = http.address() as AddressInfo
        const definition = { ...remote(`http://127.0.0.1:${port}/`), transport }
        await expect(links.open(definition)).rejects.toMatchObject({
          fault: 'start',
          message: `MCP server "test" ${words}`,
        })
      } finally {
        http.closeAllConnections()
        http.close()
      }
    },
  )

  test('is told what clients tell, in its session', async () => {
    const { link, server } = await open({ sessionId: 's1', onPost: () => false })
    await link.notify('notifications/roots/list_changed')
    await expect
      .poll(() => server.sent('notifications/roots/list_changed')[0]?.headers)
      .toMatchObject({ 'mcp-session-id': 's1' })
  })
})
