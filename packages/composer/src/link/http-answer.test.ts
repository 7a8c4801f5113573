import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import type { RemoteDefinition } from '../server-definition.ts'
import { call, createLinks, rawOf, remote } from './link.fixture.ts'
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

describe('an answer over HTTP', () => {
  test('as JSON keeps its bytes, on one line', async () => {
    verifies('CO-PASS-1')
    const { link } = await open({
      onPost: (message, response) =>
        answerJson(response, message, '{\n "n":\r\n12345678901234567890, "t":"\\u00e9" }'),
    })
    const reply = await call(link, 'echo')
    expect(rawOf(reply)).toBe('{  "n":  12345678901234567890, "t":"\\u00e9" }')
    expect(reply).toMatchObject({ era: 'legacy' })
  })

  test('as a stream keeps its bytes, however it is cut', async () => {
    const { link } = await open({
      onPost({ id }, response) {
        beginStream(response).write(': hello\r\nevent: mess')
        response.write(`age\r\nid: 5\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":${id},"result":{"n":1234567890`)
        setImmediate(() => response.end('1234567890}}\r\n\r\n'))
        return true
      },
    })
    expect(rawOf(await call(link, 'echo'))).toBe('{"n":12345678901234567890}')
  })

  test('is not waited for when the stream goes on, nor taken twice', async () => {
    const { link, told } = await open({
      onPost({ id }, response) {
        beginStream(response).write(toResult(id, '{"first":1}') + toResult(id, '{"second":2}'))
        return true
      },
    })
    expect(rawOf(await call(link, 'echo'))).toBe('{"first":1}')
    expect(told.garbage).toBe(1)
  })

  test.each([
    ['is for somebody else', 200, 'application/json', '{"jsonrpc":"2.0","id":5,"result":{}}'],
    ['is no JSON', 200, 'application/json', '<html>'],
    ['is a page', 200, 'text/html', '<html>'],
    ['is empty', 200, 'application/json', ''],
    ['never comes', 202, 'application/json', ''],
    ['is too long', 200, 'application/json', `"${'x'.repeat(200_000)}"`],
    ['is too long an event', 200, 'text/event-stream', `data: ${'x'.repeat(200_000)}`],
  ])('that %s is an error', async (_what, status, type, body) => {
    const { link } = await open({
      onPost(_message, response) {
        response.writeHead(status, { 'content-type': type }).end(body)
        return true
      },
    })
    expect(await call(link, 'echo')).toMatchObject({
      error: {
        code: -32603,
        message: expect.stringMatching(/^The answer of MCP server "test" cannot be used: /),
      },
    })
  })

  test.each(['null', '"text"', '7', '[]'])('whose result is %s is an error', async (result) => {
    const { link } = await open({ onPost: (message, response) => answerJson(response, message, result) })
    expect(await call(link, 'echo')).toEqual({
      error: {
        code: -32603,
        message: 'MCP server "test" answered tools/call with a result that is no object.',
      },
    })
  })

  test('of another shape is understood', async () => {
    const { link } = await open({
      onPost({ id, params }, response) {
        const messages = {
          error: `{"id":${id},"error":{"code":-7,"message":"no"},"jsonrpc":"2.0"}`,
          batch: `[{"jsonrpc":"2.0","id":${id},"result":{"a":1}}]`,
        }
        const body = messages[String(params?.name) as keyof typeof messages]
        response.writeHead(200, { 'content-type': 'application/json' }).end(body)
        return true
      },
    })
    expect(await call(link, 'error')).toEqual({ error: { code: -7, message: 'no' } })
    expect(rawOf(await call(link, 'batch'))).toBe('{"a":1}')
  })

  test.each([
    [
      400,
      '{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"bad args"}}',
      { code: -32602, message: 'bad args' },
    ],
    [
      401,
      '',
      {
        code: -32000,
        message: 'MCP server "test" refused the request with HTTP status 401: told by the header.',
        data: { status: 401 },
      },
    ],
    [
      403,
      '{"detail":"The token open-sesame lacks a scope"}',
      {
        code: -32000,
        message: 'MCP server "test" refused the request with HTTP status 403: The token … lacks a scope.',
        data: { status: 403 },
      },
    ],
    [
      429,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-5,"message":"slow down"}}',
      {
        code: -5,
        message: 'MCP server "test" refused the request with HTTP status 429: slow down.',
        data: { status: 429, retryAfterSeconds: 7 },
      },
    ],
    [
      404,
      'nothing here',
      {
        code: -32000,
        message: 'MCP server "test" refused the request with HTTP status 404: nothing here.',
        data: { status: 404 },
      },
    ],
  ])('with the status %i says so', async (status, body, error) => {
    const { link } = await open(
      {
        onPost({ id }, response) {
          const headers = {
            'www-authenticate': 'Bearer error_description="told by the header"',
            'retry-after': '7',
          }
          response.writeHead(status, status === 403 ? {} : headers).end(body.replace('$id', String(id)))
          return true
        },
      },
      { headers: { Authorization: 'Bearer open-sesame' } },
    )
    const reply = await call(link, 'echo')
    expect(reply).toMatchObject({ error })
    expect(JSON.stringify(reply)).not.toContain('open-sesame')
  })

  test('with a failure of a proxy is lost: nobody knows what became of the request', async () => {
    const { link } = await open({
      onPost(_message, response) {
        response.writeHead(502).end('bad gateway')
        return true
      },
    })
    await expect(call(link, 'echo')).rejects.toMatchObject({
      fault: 'lost',
      message: 'MCP server "test" refused the request with HTTP status 502: bad gateway.',
    })
  })

  test('is not fetched from elsewhere', async () => {
    const other = await startRawHttp({ onPost: (message, response) => answerJson(response, message, '{}') })
    try {
      const { link } = await open(
        {
          onPost(_message, response) {
            response.writeHead(307, { location: other.url }).end()
            return true
          },
        },
        { headers: { Authorization: 'Bearer open-sesame' } },
      )
      expect(await call(link, 'echo')).toMatchObject({
        error: { message: expect.stringContaining('HTTP status 307: it points elsewhere') },
      })
      expect(other.requests).toEqual([])
    } finally {
      await other.close()
    }
  })

  test('is fetched from another path of the same server', async () => {
    const { link, server } = await open({
      onPost(message, response, { url }) {
        if (url === '/mcp/') return answerJson(response, message, '{"here":true}')
        response.writeHead(308, { location: '/mcp/' }).end()
        return true
      },
    })
    expect(rawOf(await call(link, 'echo'))).toBe('{"here":true}')
    expect(rawOf(await call(link, 'echo'))).toBe('{"here":true}')
    expect(server.sent('tools/call')).toHaveLength(3)
  })
})
