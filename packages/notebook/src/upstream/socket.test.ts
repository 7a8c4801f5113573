import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createKeptLog, type Peer, startPeer } from './peer.fixture.ts'
import { createJupyterServer, type ServerDeps, type ServerTarget } from './server.ts'

const TOKEN = 'canary-token-0123456789'
const PATH = ['api', 'kernels', 'k', 'channels']

const cleanups: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

async function host(onUpgrade: Upgrade): Promise<Peer> {
  const peer = await startPeer((_request, response) => response.end('{}'), onUpgrade)
  cleanups.push(peer.close)
  return peer
}

function createSockets(options: ConstructorParameters<typeof WebSocketServer>[0] = {}) {
  const sockets = new WebSocketServer({ noServer: true, ...options })
  cleanups.push(() => {
    for (const socket of sockets.clients) socket.terminate()
  })
  const accept: Upgrade = (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request))
  return { sockets, accept }
}

const refuse = (socket: Duplex, status: string, headers = '') =>
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n${headers}\r\n`)

function open(url: string, target: Partial<ServerTarget> = { token: TOKEN }, deps: Partial<ServerDeps> = {}) {
  return createJupyterServer({ url, ...target }, { logger: createKeptLog().logger, ...deps })
}

describe('a token', () => {
  const authorizations = ({ requests }: Peer) => requests.map(({ headers }) => headers.authorization)
  const urls = ({ requests }: Peer) => requests.map(({ url }) => url)
  const expected = '/api/kernels/k/channels?session_id=s'

  test('goes into the header, and never into the URL of a handshake', async () => {
    verifies('NB-HUB-5')
    const peer = await host((_request, socket) => refuse(socket, '403 Forbidden'))
    const server = open(peer.url)
    await expect(server.openSocket(PATH, { query: { session_id: 's' } })).rejects.toMatchObject({
      code: 'refused',
    })
    await expect(server.request('GET', ['api'])).resolves.toEqual({})
    expect(authorizations(peer)).toEqual([`Bearer ${TOKEN}`, `token ${TOKEN}`, `Bearer ${TOKEN}`])
    expect(urls(peer)).toEqual([expected, expected, '/api'])
  })

  test('that is refused there leads to an error that names the setting', async () => {
    verifies('NB-HUB-6')
    const peer = await host((_request, socket) => refuse(socket, '403 Forbidden'))
    const failure = await open(peer.url)
      .openSocket(PATH, {})
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'refused',
      message: expect.stringMatching(
        /channels answered 403.*token was not accepted.*NOTEBOOKHUB_ALLOW_TOKEN_IN_URL/,
      ),
    })
    expect(String(failure)).not.toContain(TOKEN)
  })

  test('goes into the URL where that is allowed, after both headers were refused, and alone', async () => {
    verifies('NB-HUB-4')
    const { accept } = createSockets()
    const peer = await host((request, socket, head) => {
      if (request.url?.includes(`token=${TOKEN}`)) accept(request, socket, head)
      else refuse(socket, '401 Unauthorized')
    })
    const server = open(peer.url, { token: TOKEN, allowTokenInUrl: true })
    const socket = await server.openSocket(PATH, { query: { session_id: 's' } })
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
    expect(authorizations(peer)).toEqual([`Bearer ${TOKEN}`, `token ${TOKEN}`, undefined])
    expect(urls(peer)).toEqual([expected, expected, `${expected}&token=${TOKEN}`])
  })

  test('that is refused in the URL too is not tried again, and not shown', async () => {
    const peer = await host((_request, socket) => refuse(socket, '403 Forbidden'))
    const server = open(peer.url, { token: TOKEN, allowTokenInUrl: true })
    const failure = await server.openSocket(PATH, {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'refused' })
    expect(String(failure)).not.toContain(TOKEN)
    expect(peer.requests).toHaveLength(3)
  })

  test('stays out of the URL for whoever has a password, or nothing', async () => {
    const peer = await host((_request, socket) => refuse(socket, '403 Forbidden'))
    const server = open(peer.url, { allowTokenInUrl: true })
    await expect(server.openSocket(PATH, {})).rejects.toMatchObject({
      code: 'refused',
      message: expect.not.stringContaining('NOTEBOOKHUB_ALLOW_TOKEN_IN_URL'),
    })
    expect(urls(peer)).toEqual(['/api/kernels/k/channels'])
  })
})

test('messages that come with the handshake are not lost', async () => {
  const { sockets, accept } = createSockets()
  sockets.on('connection', (socket) => {
    socket.send('one')
    socket.send('two')
  })
  const peer = await host((request, socket, head) => {
    socket.cork()
    accept(request, socket, head)
    socket.uncork()
  })
  const socket = await open(peer.url).openSocket(PATH, {})
  const seen: string[] = []
  socket.on('message', (data) => seen.push(String(data)))
  await expect.poll(() => seen).toEqual(['one', 'two'])
  socket.terminate()
})

test('an offered protocol is taken, no Origin and no compression is sent', async () => {
  const { accept } = createSockets({ perMessageDeflate: true })
  const peer = await host(accept)
  const socket = await open(peer.url).openSocket(PATH, { protocols: ['v1.kernel.websocket.jupyter.org'] })
  expect(socket.protocol).toBe('v1.kernel.websocket.jupyter.org')
  expect(socket.extensions).toBe('')
  expect(peer.requests[0]?.headers).not.toHaveProperty('origin')
  socket.terminate()
})

test('a server that knows no protocols is spoken to without', async () => {
  const { accept } = createSockets({ handleProtocols: () => false })
  const peer = await host(accept)
  const socket = await open(peer.url).openSocket(PATH, { protocols: ['v1.kernel.websocket.jupyter.org'] })
  expect(socket.protocol).toBe('')
  expect(socket.readyState).toBe(socket.OPEN)
  socket.terminate()
  expect(peer.requests.map(({ headers }) => headers['sec-websocket-protocol'])).toEqual([
    'v1.kernel.websocket.jupyter.org',
    undefined,
  ])
})

test('a message that is too long ends the socket and nothing else', async () => {
  const { sockets, accept } = createSockets()
  sockets.on('connection', (socket) => socket.send('x'.repeat(3_000)))
  const peer = await host(accept)
  const socket = await open(peer.url, { token: TOKEN }, { maxAnswerBytes: 2_000 }).openSocket(PATH, {})
  const code = await new Promise((resolve) => socket.once('close', resolve))
  expect(code).toBe(1006)
})

describe('a handshake', () => {
  test('that nobody answers ends in time', async () => {
    const peer = await host(() => undefined)
    await expect(open(peer.url).openSocket(PATH, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/Timed out: GET http.*channels/),
    })
  })

  test('ends when its owner leaves or the server is closed', async () => {
    const leaving = new AbortController()
    const peer = await host(() => leaving.abort(new Error('enough')))
    await expect(open(peer.url).openSocket(PATH, { signal: leaving.signal })).rejects.toThrow('enough')
    const closing = await host(() => void server.close())
    const server = open(closing.url)
    await expect(server.openSocket(PATH, {})).rejects.toThrow('closed on our side')
  })

  test.each([
    ['with a missing kernel', '404 Not Found', '', 'not_found', /answered 404/],
    ['with a failure', '500 Oops', '', 'failing', /answered 500/],
    [
      'with a stopped server of a hub',
      '302 Found',
      'location: /hub/user/ada/x\r\n',
      'unreachable',
      /not running/,
    ],
    ['with a login', '302 Found', 'location: /login?x=canary\r\n', 'refused', /login page/],
    ['without an upgrade', '200 OK', '', 'failing', /Unexpected status 200/],
    [
      'with a false key',
      '101 Yes',
      'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: x\r\n',
      'failing',
      /handshake went wrong.*proxy/,
    ],
  ])('may be answered %s', async (_name, status, headers, code, message) => {
    const peer = await host((_request, socket) => refuse(socket, status, headers))
    const failure = await open(peer.url)
      .openSocket(PATH, {})
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'ToolError', code, message: expect.stringMatching(message) })
    expect(String(failure)).not.toContain('canary')
  })
})
