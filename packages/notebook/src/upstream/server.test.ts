import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { createKeptLog, type Peer, startPeer } from './peer.fixture.ts'
import { createJupyterServer, type ServerDeps, type ServerTarget } from './server.ts'
import { checkServer } from './status.ts'

const TOKEN = 'canary-token-0123456789'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function host(...args: Parameters<typeof startPeer>): Promise<Peer> {
  const peer = await startPeer(...args)
  cleanups.push(peer.close)
  return peer
}

function open(url: string, deps: Partial<ServerDeps> = {}, target: Partial<ServerTarget> = { token: TOKEN }) {
  return createJupyterServer({ url, ...target }, { logger: createKeptLog().logger, ...deps })
}

test('an empty answer is undefined', async () => {
  const peer = await host((_request, response) => response.writeHead(204).end())
  expect(await open(peer.url).request('DELETE', ['x'])).toBeUndefined()
})

test('a body goes out as JSON, and a query encoded', async () => {
  const peer = await host(async (request, response) => {
    const body = await request.setEncoding('utf8').toArray()
    response.end(
      JSON.stringify({ url: request.url, body: body.join(''), type: request.headers['content-type'] }),
    )
  })
  const server = open(peer.url)
  expect(await server.request('POST', ['a b'], { body: { ü: [1] }, query: { x: '1&2' } })).toEqual({
    url: '/a%20b?x=1%262',
    body: '{"ü":[1]}',
    type: 'application/json',
  })
})

describe('a peer that wastes time and space', () => {
  const soon = { requestTimeoutMs: 150 }

  test('never answers', async () => {
    const peer = await host(() => undefined)
    await expect(open(peer.url, soon).request('GET', ['api'])).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/Timed out: GET http.*\/api had no answer within 0\.15 s/),
    })
  })

  test('never ends its answer', async () => {
    const peer = await host((_request, response) => void response.writeHead(200).write('{"a":'))
    await expect(open(peer.url, soon).request('GET', ['api'])).rejects.toThrow('Timed out')
  })

  test('never ends its refusal, which is reported all the same', async () => {
    const peer = await host((_request, response) => void response.writeHead(500).write('no '))
    await expect(open(peer.url).request('GET', ['api'])).rejects.toMatchObject({
      code: 'failing',
      message: expect.stringContaining('answered 500 (no)'),
    })
  })

  test('gets the time that a request asks for', async () => {
    const peer = await host(() => undefined)
    await expect(open(peer.url).request('GET', ['api'], { timeoutMs: 60 })).rejects.toThrow('within 0.06 s')
  })

  test.each([
    ['says too much', (response: ServerResponse) => response.end(`"${'x'.repeat(3_000)}"`)],
    [
      'packs too much',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`"${'x'.repeat(3_000_000)}"`)),
    ],
    [
      'goes on for ever',
      (response: ServerResponse) => {
        const pour = () => {
          while (!response.destroyed && response.write('x'.repeat(1_000)));
        }
        response.on('drain', pour)
        pour()
      },
    ],
  ])('%s', async (_name, answer) => {
    const peer = await host((_request, response) => answer(response))
    await expect(open(peer.url, { maxAnswerBytes: 2_000 }).request('GET', ['api'])).rejects.toMatchObject({
      code: 'failing',
      message: expect.stringContaining('longer than the 2000 bytes'),
    })
  })
})

describe('whoever asked', () => {
  test('may leave, and gets his own reason', async () => {
    const leaving = new AbortController()
    const peer = await host(() => leaving.abort(new Error('enough')))
    await expect(open(peer.url).request('GET', ['api'], { signal: leaving.signal })).rejects.toThrow('enough')
    await expect(open(peer.url).request('GET', ['api'], { signal: leaving.signal })).rejects.toThrow('enough')
    expect(peer.requests).toHaveLength(1)
  })

  test('is let go when the server is closed, and nothing begins afterwards', async () => {
    const peer = await host(() => void server.close())
    const server = open(peer.url)
    const closed = { code: 'unreachable', message: expect.stringContaining('was closed on our side') }
    await expect(server.request('GET', ['api'])).rejects.toMatchObject(closed)
    await expect(server.request('GET', ['api'])).rejects.toMatchObject(closed)
    await expect(server.openSocket(['api'], {})).rejects.toMatchObject(closed)
    await server.close()
    expect(peer.requests).toHaveLength(1)
  })
})

describe('credentials', () => {
  const CANARIES = /canary/

  test.each([
    ['a token', { token: TOKEN }],
    ['a token that may be in a URL', { token: TOKEN, allowTokenInUrl: true }],
    ['a password', { password: 'canary-password' }],
    ['nothing', {}],
  ] satisfies [string, Partial<ServerTarget>][])(
    'never follow a redirect to another origin: %s',
    async (_name, target) => {
      verifies('NB-CRED-2')
      const thief = await host((_request, response) => response.end('{}'))
      const peer = await host((request, response) => {
        response.setHeader('set-cookie', ['_xsrf=canary-xsrf', 'session=canary-session'])
        if (request.url === '/login' && request.method === 'GET') response.end('<input name="password">')
        else if (request.url === '/login') response.writeHead(302, { location: '/' }).end()
        else if (request.url === '/api/status') response.end('{}')
        else response.writeHead(307, { location: `${thief.url}${request.url}` }).end()
      })
      const server = open(peer.url, {}, target)
      await expect(server.request('GET', ['api', 'x'])).rejects.toMatchObject({ code: 'refused' })
      await expect(server.request('POST', ['api', 'x'], { body: {} })).rejects.toMatchObject({
        code: 'refused',
      })
      await expect(server.openSocket(['api', 'x'], {})).rejects.toMatchObject({ code: 'refused' })
      expect(thief.requests).toHaveLength(0)
      expect(peer.requests.length).toBeGreaterThanOrEqual(3)
    },
  )

  test('of one server are unknown to another, even on the same host', async () => {
    verifies('NB-CRED-2')
    const answer = (name: string) =>
      host((request, response) => {
        response.setHeader('set-cookie', [
          `_xsrf=canary-${name}`,
          `canary-${name}=1`,
          'shared=canary; Domain=127.0.0.1',
        ])
        if (request.url === '/login' && request.method === 'POST')
          response.writeHead(302, { location: '/' }).end()
        else response.end(request.url === '/login' ? '<input name="password">' : '{}')
      })
    const [one, two] = [await answer('one'), await answer('two')]
    const first = open(one.url, {}, { password: 'canary-password' })
    await first.request('POST', ['api', 'x'])
    expect(JSON.stringify(one.requests.at(-1)?.headers)).toMatch(/canary-one/)
    const second = open(two.url, {}, {})
    await second.request('GET', ['api', 'x'])
    for (const { headers } of two.requests) expect(JSON.stringify(headers)).not.toMatch(CANARIES)
  })
})

test('what answers but is no Jupyter server is told apart', async () => {
  for (const text of ['{"hello": "world"}', '[]', '"1.0"', '{"version": 7}', '']) {
    const peer = await host((_request, response) => response.end(text))
    await expect(checkServer(open(peer.url))).rejects.toMatchObject({
      code: 'failing',
      message: expect.stringContaining('does not look like a Jupyter server'),
    })
  }
})
