import { once } from 'node:events'
import { createServer } from 'node:net'
import { ProtocolError } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { ConnectionError, plainReason } from './errors.ts'

async function failureOf(url: string): Promise<unknown> {
  return fetch(url).then(
    () => expect.unreachable('somebody answered'),
    (error: unknown) => error,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : expect.unreachable('no port')
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

describe('a plain reason', () => {
  test.each(['127.0.0.1', 'localhost'])('of a port of %s where nobody listens', async (host) => {
    const port = await freePort()
    const failure = await failureOf(`http://${host}:${port}/`)
    const wrapped = new Error('Version negotiation probe failed: fetch failed', { cause: failure })
    expect(plainReason(wrapped)).toBe(`nothing listens at 127.0.0.1:${port} (connection refused)`)
  })

  test('of a server that hangs up, and of one that speaks no TLS', async () => {
    const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    )
    try {
      await Promise.all([silent, plain].map((server) => server.listening || once(server, 'listening')))
      const portOf = (server: typeof silent) => Object(server.address()).port
      expect(plainReason(await failureOf(`http://127.0.0.1:${portOf(silent)}/`))).toBe(
        'it broke off the connection',
      )
      expect(plainReason(await failureOf(`https://127.0.0.1:${portOf(plain)}/`))).toMatch(
        /does not speak TLS/,
      )
    } finally {
      silent.close()
      plain.close()
    }
  })

  test.each([
    [coded('ENOTFOUND', 'getaddrinfo ENOTFOUND no.invalid'), 'there is no host named no.invalid'],
    [coded('EAI_AGAIN', 'getaddrinfo EAI_AGAIN some.host'), 'the name some.host cannot be looked up now'],
    [coded('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:80'), 'no answer comes from 10.0.0.1:80 (timed out)'],
    [
      coded('UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error (attempted address: a:80, timeout: 10000ms)'),
      'no answer comes from there (timed out)',
    ],
    [coded('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:80'), 'no way leads to 10.0.0.1:80 (unreachable)'],
    [coded('CERT_HAS_EXPIRED', 'certificate has expired'), 'its certificate has expired'],
    [
      coded('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
      'its certificate is not trusted (self-signed certificate)',
    ],
    [
      coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'),
      'its certificate is not trusted (unable to verify the first certificate)',
    ],
    [
      coded('ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames: x"),
      'its certificate is for another name',
    ],
    [
      new Error('SSE error: TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:81'),
      'nothing listens at 127.0.0.1:81 (connection refused)',
    ],
    [new Error('SSE error: TypeError: fetch failed: bad port'), 'bad port'],
    [new ConnectionError('lost', 'It is gone.'), 'It is gone'],
    ['just a text.', 'just a text'],
  ])('of %s', (error, words) => {
    expect(plainReason(error)).toBe(words)
  })

  test('leaves the word of the server alone, even of its own network', () => {
    const error = new ProtocolError(-32603, 'connect ECONNREFUSED 10.0.0.1:5432')
    expect(plainReason(error)).toContain('connect ECONNREFUSED 10.0.0.1:5432')
    expect(plainReason(error)).not.toContain('nothing listens')
  })
})
