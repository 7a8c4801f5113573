import { expect, test } from 'vitest'
import { watchBody } from './bounded-body.ts'

type Controller = ReadableStreamDefaultController<Uint8Array>

interface Source {
  start?(controller: Controller): void
  pull?(controller: Controller): void
  cancel?(reason: unknown): void
}

function watch(source: Source, signal?: AbortSignal) {
  const ended = Promise.withResolvers<void>()
  let ends = 0
  const inner = new Response(new ReadableStream(source), {
    status: 201,
    headers: { 'content-type': 'text/event-stream', 'x-kept': 'yes' },
  })
  const response = watchBody(inner, {
    maxUnreadBytes: 1000,
    signal,
    onEnd() {
      ends += 1
      ended.resolve()
    },
  })
  return { response, ended: ended.promise, ends: () => ends }
}

test('hands everything on, with status and headers, and tells of the end once', async () => {
  const { response, ended, ends } = watch({
    start(controller) {
      // One message may be larger than what may lie unread.
      controller.enqueue(new Uint8Array(5000))
      controller.close()
    },
  })
  await ended
  expect(response.status).toBe(201)
  expect(response.headers.get('x-kept')).toBe('yes')
  expect((await response.arrayBuffer()).byteLength).toBe(5000)
  expect(ends()).toBe(1)
})

test('cuts a reader off that leaves too much unread, and stops the source', async () => {
  const cancelled = Promise.withResolvers<unknown>()
  const { response, ended } = watch({
    pull: (controller) => controller.enqueue(new Uint8Array(100)),
    cancel: (reason) => cancelled.resolve(reason),
  })
  await ended
  expect(await cancelled.promise).toBeInstanceOf(Error)
  await expect(response.text()).rejects.toThrow('more than 1000 bytes unread')
})

test('a client that leaves stops the source', async () => {
  const cancelled = Promise.withResolvers<unknown>()
  const { response, ended, ends } = watch({ cancel: cancelled.resolve })
  await response.body?.cancel('gone')
  expect(await cancelled.promise).toBe('gone')
  await ended
  expect(ends()).toBe(1)
})

test('the signal ends it', async () => {
  const abort = new AbortController()
  const { response, ended } = watch({}, abort.signal)
  abort.abort()
  await ended
  expect(await response.text()).toBe('')
})

test('a source that fails is passed on as a failure', async () => {
  const { response, ended } = watch({ start: (controller) => controller.error(new Error('broken')) })
  await ended
  await expect(response.text()).rejects.toThrow('broken')
})

test.each([
  ['without a body', new Response(null, { status: 202 })],
  ['that is no stream', Response.json({})],
])('a response %s passes as it is', (_name, inner) => {
  let ends = 0
  const onEnd = () => {
    ends += 1
  }
  expect(watchBody(inner, { maxUnreadBytes: 1, signal: undefined, onEnd })).toBe(inner)
  expect(ends).toBe(1)
})
