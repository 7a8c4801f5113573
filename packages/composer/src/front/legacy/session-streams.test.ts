import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createHosting, openSession, post, toCall } from '../front-host.fixture.ts'
import { readEvents } from '../sse-reader.fixture.ts'

const { host, closeAll, cleanups } = createHosting()
afterEach(closeAll)

const STREAM = { accept: 'text/event-stream' }
const isStream = (response: Response) => response.headers.get('content-type') === 'text/event-stream'
const textOf = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } })

describe('a question to the client', () => {
  const capabilities = { sampling: {} }

  test('goes out on the stream of its request, and its answer comes back', async () => {
    const { url } = await host()
    const session = await openSession(url, { capabilities })
    const events = readEvents(await post(url, toCall(1, 'ask'), session))
    await events.next()
    const question = await events.message()
    expect(question).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 10 } })
    const answer = { jsonrpc: '2.0', id: question.id, result: { because: true } }
    // An answer in another session is nobody's.
    expect((await post(url, answer, await openSession(url, { capabilities }))).status).toBe(202)
    expect((await post(url, { ...answer, id: 'ask-99' }, session)).status).toBe(202)
    expect((await post(url, answer, session)).status).toBe(202)
    expect(await events.message()).toMatchObject({ id: 1, ...textOf('{"because":true}') })
  })

  test('may be declined', async () => {
    const { url } = await host()
    const session = await openSession(url, { capabilities })
    const events = readEvents(await post(url, toCall(1, 'ask'), session))
    await events.next()
    const { id } = await events.message()
    await post(url, { jsonrpc: '2.0', id, error: { code: -1, message: 'no' } }, session)
    expect(await events.message()).toMatchObject({ id: 1, error: { code: -1, message: 'no' } })
  })

  test.each([
    ['sampling/createMessage', 'has not declared the capability "sampling"'],
    ['elicitation/create', 'has not declared the capability "elicitation"'],
    ['roots/list', 'has not declared the capability "roots"'],
    ['tools/list', 'cannot be asked tools/list'],
  ])('%s is not put to a client that cannot answer it', async (method, sentence) => {
    const { url } = await host()
    const response = await post(url, toCall(1, 'ask', { method }), await openSession(url))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      error: { code: -32601, message: expect.stringContaining(sentence) },
    })
  })

  test('ends with its request, of which the client is told', async () => {
    const { url } = await host()
    const session = await openSession(url, { capabilities })
    const events = readEvents(await post(url, toCall(1, 'ask'), session))
    await events.next()
    const { id } = await events.message()
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, session)
    expect(await events.message()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    })
    expect(await events.next()).toBeUndefined()
  })
})

describe('a caller with too many streams', () => {
  test('gets no more of them, and its answers all the same', async () => {
    const { url, gateway } = await host({ maxStreams: 3, maxStreamsPerCaller: 1 })
    const open = (caller: string) =>
      openSession(url, { headers: { 'x-caller': caller }, capabilities: { sampling: {} } })
    const [first, second, other] = [await open('ada'), await open('ada'), await open('bob')]
    const stream = await fetch(url, { headers: { ...first, ...STREAM } })
    const refused = await fetch(url, { headers: { ...second, ...STREAM } })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    const call = post(url, toCall(1, 'progress'), second)
    await expect.poll(() => gateway.requests.length).toBe(1)
    gateway.release()
    expect(await (await call).json()).toMatchObject(textOf('progressed'))
    expect(await (await post(url, toCall(2, 'ask'), second)).json()).toMatchObject({
      error: { message: expect.stringContaining('cannot be reached') },
    })
    expect(isStream(await fetch(url, { headers: { ...other, ...STREAM } }))).toBe(true)
    await stream.body?.cancel()
    await expect.poll(async () => (await fetch(url, { headers: { ...second, ...STREAM } })).status).toBe(200)
  })
})

describe('log messages', () => {
  const setLevel = (level: unknown) => ({
    jsonrpc: '2.0',
    id: 9,
    method: 'logging/setLevel',
    params: { level },
  })
  const levels = async (response: Response) =>
    (await readEvents(response).rest())
      .map(({ data }) => (data ? JSON.parse(data) : {}))
      .flatMap(({ params }) => params?.level ?? [])

  test('all go out before a level is set, and those from it on afterwards', async () => {
    const { url } = await host()
    const [session, other] = [await openSession(url), await openSession(url)]
    expect(await levels(await post(url, toCall(1, 'log'), session))).toEqual(['debug', 'warning', 'error'])
    expect(await (await post(url, setLevel('error'), session)).json()).toMatchObject({ result: {} })
    expect(await levels(await post(url, toCall(2, 'log'), session))).toEqual(['error'])
    expect(await levels(await post(url, toCall(2, 'log'), other))).toEqual(['debug', 'warning', 'error'])
    await post(url, setLevel('emergency'), session)
    const quiet = await post(url, toCall(3, 'log'), session)
    expect(quiet.headers.get('content-type')).toBe('application/json')
  })

  test.each([undefined, 'loud', 7, null])('cannot be set to %s', async (level) => {
    const { url } = await host()
    const response = await post(url, setLevel(level), await openSession(url))
    expect(await response.json()).toMatchObject({ error: { code: -32602 } })
  })
})

describe('the stream that belongs to no request', () => {
  test('tells of changes, of resources only those subscribed to', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    await post(url, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'a:1' } }, session)
    const events = readEvents(await fetch(url, { headers: { ...session, ...STREAM } }))
    gateway.change({ type: 'resource', uri: 'a:2' })
    gateway.change({ type: 'resource', uri: 'a:1' })
    gateway.change({ type: 'tools' })
    expect(await events.next()).toEqual({
      event: 'message',
      id: '0.1',
      data: '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}',
    })
    expect(await events.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
    await events.cancel()
  })

  test('is one', async () => {
    const { url } = await host()
    const headers = { ...(await openSession(url)), ...STREAM }
    const first = await fetch(url, { headers })
    expect((await fetch(url, { headers })).status).toBe(409)
    await first.body?.cancel()
    await expect.poll(async () => (await fetch(url, { headers })).status).toBe(200)
  })

  test('finds what happened while it was away, each once', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    for (let round = 0; round < 1000; round += 1) gateway.change({ type: round % 2 ? 'tools' : 'prompts' })
    const events = readEvents(await fetch(url, { headers: { ...session, ...STREAM } }))
    gateway.change({ type: 'resources' })
    const methods = [await events.message(), await events.message(), await events.message()]
    expect(methods.map(({ method }) => method)).toEqual([
      'notifications/prompts/list_changed',
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ])
    await events.cancel()
  })

  test('goes on after the event that its client saw last', async () => {
    const { url, gateway } = await host()
    const session = await openSession(url)
    const headers = { ...session, ...STREAM }
    gateway.change({ type: 'tools' })
    gateway.change({ type: 'tools' })
    gateway.change({ type: 'prompts' })
    const first = readEvents(await fetch(url, { headers }))
    expect((await first.next())?.id).toBe('0.1')
    const second = readEvents(await fetch(url, { headers: { ...headers, 'last-event-id': '0.1' } }))
    expect(await second.next()).toMatchObject({ id: '0.2', data: expect.stringContaining('prompts') })
    expect((await first.rest()).map(({ id }) => id)).toEqual(['0.2'])
    await second.cancel()
  })

  test('is cut when its client does not read it', async () => {
    const { url, gateway } = await host({ maxUnreadBytes: 10_000 })
    const session = await openSession(url)
    const uri = `a:${'x'.repeat(100_000)}`
    await post(url, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, session)
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    cleanups.push(async () => socket.destroy())
    const head = Object.entries({ host: `127.0.0.1:${port}`, ...session, ...STREAM })
    socket.write(`GET /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toContain('200 OK')
    socket.pause()
    const flood = async () => {
      gateway.change({ type: 'resource', uri })
      const probe = await fetch(url, { headers: { ...session, ...STREAM } })
      await probe.body?.cancel()
      return probe.status
    }
    expect(await flood()).toBe(409)
    await expect.poll(flood, { timeout: 30_000, interval: 1 }).toBe(200)
  })

  test.each(['2025-11-25', '2025-06-18'])('must be wanted, in %s too', async (version) => {
    const { url } = await host()
    const session = await openSession(url, { version })
    const response = await fetch(url, { headers: { ...session, accept: 'application/json' } })
    expect(response.status).toBe(406)
  })
})
