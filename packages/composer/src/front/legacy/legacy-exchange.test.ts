import { afterEach, describe, expect, test } from 'vitest'
import { createHosting, openSession, post, toCall } from '../front-host.fixture.ts'
import { readEvents } from '../sse-reader.fixture.ts'

const { host, closeAll } = createHosting()
afterEach(closeAll)

const STREAM = { accept: 'text/event-stream' }
const isStream = (response: Response) => response.headers.get('content-type') === 'text/event-stream'
const textOf = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } })

describe('an answer', () => {
  test('that is the first thing there is is JSON, with the bytes of the server', async () => {
    const { url } = await host()
    const response = await post(url, toCall('ü', 'echo', { a: 1 }), await openSession(url))
    expect(response.headers.get('content-type')).toBe('application/json')
    const body = await response.text()
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
    expect(body).toMatch(/^\{"jsonrpc":"2\.0","id":"ü","result":\{\n {2}"resultType"/)
    expect(JSON.parse(body)).toMatchObject(textOf('{"a":1}'))
  })

  test('becomes a stream with the first notification', async () => {
    const { url, gateway } = await host()
    const response = await post(
      url,
      toCall(1, 'progress', {}, { progressToken: 'p' }),
      await openSession(url),
    )
    expect(isStream(response)).toBe(true)
    const events = readEvents(response)
    expect(await events.next()).toEqual({ id: '1.0', retry: '1000', data: '' })
    expect(await events.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1 },
    })
    gateway.release()
    const rest = await events.rest()
    expect(rest.map(({ id }) => id)).toEqual(['1.2', '1.3'])
    expect(JSON.parse(rest[1]?.data ?? '')).toMatchObject({ id: 1, ...textOf('progressed') })
  })

  test('that takes long becomes a stream, which is kept alive', async () => {
    const { url, gateway } = await host({ streamAfterMs: 5, keepAliveMs: 5 })
    const response = await post(url, toCall(1, 'wait'), await openSession(url))
    expect(isStream(response)).toBe(true)
    const events = readEvents(response)
    expect(await events.next()).toMatchObject({ id: '1.0' })
    const last = events.message()
    await expect.poll(events.comments).toBeGreaterThan(1)
    gateway.release()
    expect(await last).toMatchObject({ id: 1, ...textOf('waited') })
  })

  test.each(['2025-06-18', '2025-03-26'])('in revision %s begins without an empty event', async (version) => {
    const { url, gateway } = await host()
    const response = await post(url, toCall(1, 'progress'), await openSession(url, { version }))
    gateway.release()
    const events = await readEvents(response).rest()
    expect(events.map(({ id }) => id)).toEqual(['1.1', '1.2', '1.3'])
  })
})

describe('a client that leaves', () => {
  test('before there is an answer has cancelled', async () => {
    const { url, gateway } = await host()
    const leaving = new AbortController()
    const response = post(url, toCall(1, 'wait'), await openSession(url), leaving.signal)
    await expect.poll(() => gateway.requests.length).toBe(1)
    leaving.abort()
    await expect(response).rejects.toThrow()
    await expect.poll(() => gateway.requests[0]?.signal.aborted).toBe(true)
  })

  test('a stream has not, and comes back for the rest', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    const leaving = new AbortController()
    const events = readEvents(await post(url, toCall(1, 'progress'), session, leaving.signal))
    await events.next()
    const { id: lastEventId = '' } = (await events.next()) ?? {}
    leaving.abort()
    gateway.release()
    const resumed = await fetch(url, { headers: { ...session, ...STREAM, 'last-event-id': lastEventId } })
    const rest = await readEvents(resumed).rest()
    expect(rest.map(({ id }) => id)).toEqual(['1.2', '1.3'])
    expect(JSON.parse(rest[1]?.data ?? '')).toMatchObject({ id: 1, ...textOf('progressed') })
    expect(gateway.requests[0]?.signal.aborted).toBe(false)
  })

  test('a stream may come back before the answer, and again after it', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    const first = await post(url, toCall(1, 'progress'), session)
    const resume = { ...session, ...STREAM, 'last-event-id': '1.0' }
    const second = readEvents(await fetch(url, { headers: resume }))
    // Whoever comes back takes the stream over.
    expect((await readEvents(first).rest()).map(({ id }) => id)).toEqual(['1.0', '1.1'])
    expect((await second.next())?.id).toBe('1.1')
    gateway.release()
    expect((await second.rest()).map(({ id }) => id)).toEqual(['1.2', '1.3'])
    const third = await readEvents(await fetch(url, { headers: resume })).rest()
    expect(third.map(({ id }) => id)).toEqual(['1.1', '1.2', '1.3'])
  })

  test('a stream that it cannot come back to has cancelled', async () => {
    const { url, gateway } = await host({ streamAfterMs: 5 })
    const session = await openSession(url, { version: '2025-06-18' })
    const leaving = new AbortController()
    expect(isStream(await post(url, toCall(1, 'wait'), session, leaving.signal))).toBe(true)
    leaving.abort()
    await expect.poll(() => gateway.requests[0]?.signal.aborted).toBe(true)
  })

  test('finds an error in place of an answer that was too long to keep', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    const leaving = new AbortController()
    const response = await post(url, toCall(1, 'large', { bytes: 2_000_000 }), session, leaving.signal)
    await readEvents(response).next()
    leaving.abort()
    gateway.release()
    const resumed = await fetch(url, { headers: { ...session, ...STREAM, 'last-event-id': '1.1' } })
    const [event] = await readEvents(resumed).rest()
    expect(JSON.parse(event?.data ?? '')).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('longer than the 1048576 bytes') },
    })
  })

  test.each(['', '1', '1.x', '9.1', '-1.0', '1.1.1', '../1', '99999999999.1'])(
    'cannot come back with the event id "%s"',
    async (id) => {
      const { url } = await host()
      const session = await openSession(url)
      await (await post(url, toCall(1, 'log'), session)).text()
      const response = await fetch(url, { headers: { ...session, ...STREAM, 'last-event-id': id } })
      expect(response.status).toBe(400)
    },
  )

  test('cannot come back to the stream of another session', async () => {
    const { url } = await host()
    const [own, other] = [await openSession(url), await openSession(url)]
    await (await post(url, toCall(1, 'log'), own)).text()
    const response = await fetch(url, { headers: { ...other, ...STREAM, 'last-event-id': '1.0' } })
    expect(response.status).toBe(400)
  })
})

describe('a request that is cancelled', () => {
  test('ends, and no other does, in this session or another one', async () => {
    const { url, gateway } = await host()
    const [own, other] = [await openSession(url), await openSession(url)]
    const cancelled = post(url, toCall(1, 'wait'), own)
    await expect.poll(() => gateway.requests.length).toBe(1)
    const rest = [post(url, toCall('1', 'wait'), own), post(url, toCall(1, 'wait'), other)]
    await expect.poll(() => gateway.requests.length).toBe(3)
    await post(
      url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } },
      own,
    )
    expect((await cancelled).status).toBe(202)
    expect(gateway.requests.map(({ signal }) => signal.aborted)).toEqual([true, false, false])
    gateway.release()
    for (const response of await Promise.all(rest))
      expect(await response.json()).toMatchObject(textOf('waited'))
  })

  test('has an id that no other may use meanwhile', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    const first = post(url, toCall(1, 'wait'), session)
    await expect.poll(() => gateway.requests.length).toBe(1)
    const second = await post(url, toCall(1, 'echo'), session)
    expect(await second.json()).toMatchObject({ id: 1, error: { code: -32600 } })
    gateway.release()
    expect(await (await first).json()).toMatchObject(textOf('waited'))
  })
})

describe('a batch', () => {
  test('is answered as one, in revision 2025-03-26', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url, { version: '2025-03-26' })
    const batch = [
      toCall(1, 'echo', { n: 1 }),
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      toCall(2, 'echo', { n: 2 }),
    ]
    const response = await post(url, batch, session)
    const answers = (await response.json()) as { id: number }[]
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expect(gateway.notifications).toHaveLength(1)
  })

  test('of which one is told of becomes a stream that holds all answers', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url, { version: '2025-03-26' })
    const response = await post(url, [toCall(1, 'progress'), toCall(2, 'echo')], session)
    expect(isStream(response)).toBe(true)
    gateway.release()
    const messages = (await readEvents(response).rest()).map(({ data }) => JSON.parse(data ?? ''))
    expect(messages.filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual([2, 1])
  })

  test('of which one is answered before another makes it a stream loses no answer', async () => {
    const { url } = await host({ streamAfterMs: 50 })
    const session = await openSession(url, { version: '2025-03-26' })
    const response = await post(url, [toCall(1, 'echo'), toCall(2, 'wait')], session)
    expect(isStream(response)).toBe(true)
    expect(await readEvents(response).message()).toMatchObject({ id: 1, ...textOf('{}') })
  })

  test.each([
    ['of more than 50', Array.from({ length: 51 }, (_, id) => toCall(id, 'echo'))],
    ['with an initialize', [toCall(1, 'echo'), { jsonrpc: '2.0', id: 2, method: 'initialize', params: {} }]],
    ['with something that is no message', [toCall(1, 'echo'), 7]],
    ['with a batch in it', [[toCall(1, 'echo')]]],
  ])('%s is refused whole', async (_what, batch) => {
    const { url, gateway } = await host()
    const response = await post(url, batch, await openSession(url, { version: '2025-03-26' }))
    expect(response.status).toBe(400)
    expect(gateway.requests).toHaveLength(0)
  })

  test('of answers and notifications is accepted', async () => {
    const { url } = await host()
    const session = await openSession(url, { version: '2025-03-26' })
    const response = await post(url, [{ jsonrpc: '2.0', id: 'ask-1', result: {} }], session)
    expect(response.status).toBe(202)
  })
})
