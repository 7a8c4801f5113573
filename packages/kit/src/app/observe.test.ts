import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createKeyRing } from '../auth/key-ring.ts'
import { hashToken } from '../auth/token.ts'
import { CallerError } from '../errors.ts'
import { createLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { type Listening, serve } from '../serve/serve.ts'
import { createApp } from './create-app.ts'

const running: Listening[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((listening) => listening.close(0)))
})

async function startObserved() {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) }
  const metrics = createMetrics({ service: 'observed' })
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const app = createApp({
    errorBody: ({ detail }) => ({ detail }),
    authentication: {
      realm: 'test',
      verify: createKeyRing([{ hash: hashToken('a-secret-token'), subject: 'ada' }]).verify,
    },
    logger: createLogger({ level: 'info', pretty: false, destination }),
    metrics,
    trustedProxies: ['127.0.0.1'],
  })
  app.get('/notes/:id', (c) => c.text(c.req.param('id')))
  app.get('/fail', () => {
    throw new Error('the reason')
  })
  app.get('/refuse/:reason', (c) => {
    const reason = c.req.param('reason') === 'internal' ? 'internal' : 'unavailable'
    const cause = new Error('the cause')
    throw new CallerError(reason, 'Server "a" has crashed.', { status: 504, code: 'SERVER_CRASHED', cause })
  })
  app.get('/slow', async (c) => {
    arrived.resolve()
    await release.promise
    return c.text('late')
  })
  app.get(
    '/stream',
    () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('x')) })),
  )
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  running.push(listening)
  const requests = () => lines.filter(({ msg }) => msg === 'request')
  const call = (path: string) =>
    fetch(listening.url + path, { headers: { authorization: 'Bearer a-secret-token' } })
  return { ...listening, lines, requests, metrics, call, arrived: arrived.promise, release: release.resolve }
}

describe('what is written down of a request', () => {
  test('one line with the pattern of its route, never its path, and one count', async () => {
    const { call, requests, metrics } = await startObserved()
    await call('/notes/a-private-name?secret=x')
    await vi.waitFor(() => expect(requests()).toHaveLength(1), 30_000)
    const expected = {
      method: 'GET',
      route: '/notes/:id',
      status: 200,
      subject: 'ada',
      address: '127.0.0.1',
      level: 'info',
    }
    expect(requests()[0]).toMatchObject(expected)
    expect(JSON.stringify(requests())).not.toMatch(/private|secret/)
    expect(await metrics.text()).toContain(
      'http_requests_total{method="GET",route="/notes/:id",status="2xx",service="observed"} 1',
    )
  })

  test('refused and failed requests too; a failure of ours with its cause and the same id', async () => {
    const { call, url, requests, lines } = await startObserved()
    const id = (await call('/fail')).headers.get('x-request-id')
    await fetch(`${url}/notes/1`)
    await call('/nowhere')
    await vi.waitFor(() => expect(requests().map(({ status }) => status)).toEqual([500, 401, 404]), 30_000)
    expect(requests()[0]).toMatchObject({ request_id: id })
    expect(lines.find(({ level }) => level === 'error')).toMatchObject({
      request_id: id,
      err: { message: 'the reason' },
    })
  })

  test('a failure that its caller can understand is a warning without a stack', async () => {
    const { call, lines } = await startObserved()
    const id = (await call('/refuse/unavailable')).headers.get('x-request-id')
    expect(lines.find(({ msg }) => msg === 'request failed')).toEqual({
      level: 'warn',
      time: expect.any(String),
      status: 504,
      reason: 'unavailable',
      code: 'SERVER_CRASHED',
      detail: 'Server "a" has crashed.',
      request_id: id,
      msg: 'request failed',
    })
  })

  test('a failure inside, with a sentence or not, is an error with its cause', async () => {
    const { call, lines } = await startObserved()
    await call('/refuse/internal')
    expect(lines.find(({ msg }) => msg === 'request failed')).toMatchObject({
      level: 'error',
      err: { message: 'Server "a" has crashed.', cause: { message: 'the cause' } },
    })
  })

  test('a stream when it ends', async () => {
    const { call, requests, metrics } = await startObserved()
    const answer = await call('/stream')
    expect(requests()).toEqual([])
    expect(await metrics.text()).toContain('http_requests_in_flight{service="observed"} 1')
    await answer.body?.cancel()
    await vi.waitFor(() => expect(requests()).toHaveLength(1), 30_000)
    expect(await metrics.text()).toContain('http_requests_in_flight{service="observed"} 0')
  })

  test('a request whose client left before it was answered', async () => {
    const { port, requests, metrics, arrived, release } = await startObserved()
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-secret-token\r\n\r\n')
    await arrived
    socket.destroy()
    await once(socket, 'close')
    release()
    await vi.waitFor(() => expect(requests()).toHaveLength(1), 30_000)
    expect(await metrics.text()).toContain('http_requests_in_flight{service="observed"} 0')
  })
})
