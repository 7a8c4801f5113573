import { expect, test } from 'vitest'
import { createSilentLogger } from '../../fixtures/silent-logger.ts'
import { createEventStream, toFrame } from './event-stream.ts'

function open(options: { maxUnreadBytes?: number; keepAliveMs?: number } = {}) {
  const ends: boolean[] = []
  const stream = createEventStream({
    logger: createSilentLogger(),
    maxUnreadBytes: 100,
    keepAliveMs: 60_000,
    onEnd: (isGone) => ends.push(isGone),
    ...options,
  })
  return { stream, ends }
}

test('a reader that leaves too much unread is cut off, and gets what was sent before', async () => {
  const { stream, ends } = open()
  stream.send(Buffer.alloc(60, 'a'))
  stream.send(Buffer.alloc(60, 'b'))
  expect(ends).toEqual([])
  stream.send(Buffer.alloc(60, 'c'))
  expect(ends).toEqual([true])
  stream.send(Buffer.alloc(1, 'd'))
  expect(await new Response(stream.body).text()).toBe('a'.repeat(60) + 'b'.repeat(60))
  expect(ends).toEqual([true])
})

test('a single message may be longer than what may be left unread', async () => {
  const { stream, ends } = open()
  stream.send(Buffer.alloc(5000, 'a'))
  stream.end()
  expect(await new Response(stream.body).text()).toHaveLength(5000)
  expect(ends).toEqual([false])
})

test('a reader that leaves is noticed once', async () => {
  const { stream, ends } = open()
  await stream.body.cancel()
  stream.end()
  stream.send(Buffer.from('late'))
  expect(ends).toEqual([true])
})

test('a quiet stream is kept alive by comments', async () => {
  const { stream } = open({ keepAliveMs: 5 })
  const { value } = await stream.body.getReader().read()
  expect(Buffer.from(value ?? []).toString()).toBe(': keep-alive\n\n')
  stream.end()
})

test.each([
  ['line feeds', '{\n"a":1}', '{ "a":1}'],
  ['carriage returns', '{\r\n"a"\r:1}', '{  "a" :1}'],
  ['escaped ones, which stay', '{"a":"\\n\\r"}', '{"a":"\\n\\r"}'],
])('a message with %s is one event', (_what, message, expected) => {
  expect(toFrame(Buffer.from(message), '1.2').toString()).toBe(
    `event: message\nid: 1.2\ndata: ${expected}\n\n`,
  )
})
