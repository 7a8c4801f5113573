import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createApp } from '../app/create-app.ts'
import { createLogger } from '../log.ts'
import { serve } from '../serve/serve.ts'
import { createWebSocketDuplexes, type WebSocketDuplexesOptions } from './websocket-duplex.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Says back what it is sent. */
async function startEcho(options: Partial<WebSocketDuplexesOptions> = {}) {
  const revocation = new AbortController()
  const logger = createLogger({ level: 'silent', pretty: false })
  const duplexes = createWebSocketDuplexes({ logger, maxMessageBytes: 4_000_000, ...options })
  const app = createApp({
    errorBody: ({ detail }) => ({ detail }),
    authentication: { realm: 'test', verify: () => ({ subject: 'ada', revoked: revocation.signal }) },
  })
  const left: AbortSignal[] = []
  const handle = duplexes.route((_context, socket, signal) => {
    left.push(signal)
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
    socket.resume()
  })
  app.get('/echo', (c) => handle(c))
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  cleanups.push(() => listening.close(0))
  function connect(autoPong = true) {
    const headers = { authorization: 'Bearer x' }
    const socket = new WebSocket(`${listening.url.replace('http', 'ws')}/echo`, { headers, autoPong })
    socket.on('error', () => socket.terminate())
    cleanups.push(() => socket.terminate())
    return { socket, closed: new Promise<number>((resolve) => socket.once('close', resolve)) }
  }
  return { connect, duplexes, left, url: listening.url, revoke: () => revocation.abort() }
}

describe('a WebSocket that both sides write to', () => {
  test('carries messages of its own size both ways, and ends one that is larger', async () => {
    const { connect, left } = await startEcho()
    const { socket, closed } = connect()
    await once(socket, 'open')
    socket.send(Buffer.alloc(3_000_000, 7))
    const [data, isBinary] = await once(socket, 'message')
    expect([data.length, data[2_999_999], isBinary]).toEqual([3_000_000, 7, true])
    socket.send(Buffer.alloc(4_000_001))
    expect(await closed).toBe(1009)
    await expect.poll(() => left[0]?.aborted).toBe(true)
  })

  test('is one of so many that a caller may have', async () => {
    const { connect } = await startEcho({ maxSocketsPerCaller: 2 })
    const open = [connect(), connect()]
    await Promise.all(open.map(({ socket }) => once(socket, 'open')))
    const [, refusal] = await once(connect().socket, 'unexpected-response')
    expect(refusal.statusCode).toBe(429)
    for (const { socket } of open) socket.terminate()
    await expect
      .poll(() =>
        once(connect().socket, 'open').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })

  test.each(['revoke', 'close'] as const)('ends with 1001 at %s, later ones too', async (how) => {
    const { connect, duplexes, revoke, left } = await startEcho()
    const early = connect()
    await once(early.socket, 'open')
    if (how === 'revoke') revoke()
    else duplexes.close()
    expect(await early.closed).toBe(1001)
    expect(await connect().closed).toBe(1001)
    expect(left.map(({ aborted }) => aborted)).toEqual([true])
  })

  test('a peer that gives no sign of life is cut off, one that does is kept', async () => {
    const { connect, duplexes } = await startEcho({ heartbeatMs: 200 })
    const dead = connect(false)
    const alive = connect()
    expect(await dead.closed).toBe(1006)
    expect(alive.socket.readyState).toBe(WebSocket.OPEN)
    await expect.poll(() => duplexes.size()).toBe(1)
  })

  test('refuses a plain request with 426', async () => {
    const { url } = await startEcho()
    expect((await fetch(`${url}/echo`, { headers: { authorization: 'Bearer x' } })).status).toBe(426)
  })
})
