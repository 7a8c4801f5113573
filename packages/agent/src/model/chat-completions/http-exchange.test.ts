import { buffer } from 'node:stream/consumers'
import { createGate } from '@quire/testbed/model-peer/script'
import { expect, test } from 'vitest'
import {
  ask,
  collect,
  createTestClock,
  failureOf,
  openAt,
  serve,
  startPeer,
  textOfEvents,
} from '../models.fixture.ts'
import { DONE, ID, LAST, openServed, say } from './chat.fixture.ts'

test('what the reader does not ask for stays with the server', async () => {
  const total = 40 * 1024 * 1024
  const response = Promise.withResolvers<{ readonly writableFinished: boolean }>()
  const model = await openServed(async (incoming, outgoing) => {
    await buffer(incoming)
    outgoing.setHeader('content-type', 'text/event-stream')
    outgoing.write(say('first'))
    for (let sent = 0; sent < total; sent += 1024 * 1024) outgoing.write(`: ${'x'.repeat(1024 * 1024)}\n\n`)
    outgoing.end(`${LAST}${DONE}`)
    response.resolve(outgoing)
  })
  const events = model.stream(ask())[Symbol.asyncIterator]()
  expect((await events.next()).value).toStrictEqual({ type: 'text', text: 'first' })
  const sending = await response.promise
  // So many turns of the loop would have been enough for all of it.
  const other = await serve((_, outgoing) => void outgoing.end())
  for (let times = 0; times < 100; times++) await fetch(other).then((answer) => answer.text())
  expect(sending.writableFinished).toBe(false)
  const rest = await collect({ [Symbol.asyncIterator]: () => events })
  expect(rest.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
})

test('a reader that takes its time is no silence of the server', async () => {
  const clock = createTestClock()
  const peer = await startPeer([{ acts: [{ text: 'first' }, { text: 'second' }] }])
  const seen: string[] = []
  for await (const event of (await openAt(peer, ID, { clock })).stream(ask())) {
    clock.expire(120_000)
    if (event.type === 'text') seen.push(event.text)
  }
  expect(seen).toStrictEqual(['first', 'second'])
})

test('signs of life between two events put the end of the patience off', async () => {
  const clock = createTestClock()
  const [silence, end] = [createGate(), createGate()]
  const acts = [{ text: 'first' }, { gate: silence }, { raw: ': still here\n\n' }, { gate: end }]
  const peer = await startPeer([{ acts }])
  const events = (await openAt(peer, ID, { clock })).stream(ask())[Symbol.asyncIterator]()
  await events.next()
  const next = events.next()
  const before = clock.refreshes(120_000)
  silence.open()
  await expect.poll(() => clock.refreshes(120_000)).toBeGreaterThan(before)
  end.open()
  expect((await next).value).toStrictEqual({ type: 'part_end', part: 'text' })
})

test('an error body without end is cut off', async () => {
  const model = await openServed((_, response) => {
    response.writeHead(500)
    const more = () => response.write(Buffer.alloc(256 * 1024, 'x'), () => response.destroyed || more())
    more()
  })
  expect((await failureOf(model.stream(ask()))).error.fault).toBe('garbled')
})

test('an answer of more than 64 MiB is cut off, though each line is short', async () => {
  const model = await openServed((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const comment = `: ${'x'.repeat(1_000)}\n`.repeat(1_000)
    const more = () => response.write(comment, () => response.destroyed || more())
    more()
  })
  const { error } = await failureOf(model.stream(ask()))
  expect(error.message).toContain('more than an answer can be')
})

test.each<[string, string]>([
  ['no HTTP', 'SSH-2.0-x\r\n'],
  ['a cut within the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['headers without end', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(10_000)}`],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['a chunk of no length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ['another protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
])('%s from a server is a failure of its own', async (_, bytes) => {
  const model = await openServed(({ socket }) => void socket.end(bytes))
  const { error } = await failureOf(model.stream(ask()))
  expect(error.fault).toBe('unavailable')
})

test('a proxy is used where the environment says so', async () => {
  const peer = await startPeer({ acts: [{ text: 'through' }] })
  const environment = {
    OPENAI_COMPATIBLE_BASE_URL: 'http://model.invalid/v1',
    HTTP_PROXY: peer.url,
    NODE_USE_ENV_PROXY: '1',
  }
  expect(textOfEvents(await collect((await openAt(peer, ID, { environment })).stream(ask())))).toBe('through')
  expect(peer.requests[0]?.path).toBe('http://model.invalid/v1/chat/completions')
  const { NODE_USE_ENV_PROXY, ...without } = environment
  const { error } = await failureOf((await openAt(peer, ID, { environment: without })).stream(ask()))
  expect(error.fault).toBe('unavailable')
})
