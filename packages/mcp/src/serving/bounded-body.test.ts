import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hostFetch } from '../fixtures/http-host.ts'
import { eventually } from '../fixtures/processes.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { watchBody } from './bounded-body.ts'

type Controller = ReadableStreamDefaultController<Uint8Array>

interface Source {
  start?(controller: Controller): void
  pull?(controller: Controller): void
  cancel?(reason: unknown): void | Promise<void>
}

function watch(source: Source, signal?: AbortSignal) {
  const ended = Promise.withResolvers<void>()
  const logged: string[] = []
  const logger = {
    ...createSilentLogger(),
    debug: (...line: unknown[]) => void logged.push(String(line.at(-1))),
  }
  let ends = 0
  const inner = new Response(new ReadableStream(source), {
    status: 201,
    headers: { 'content-type': 'text/event-stream', 'x-kept': 'yes' },
  })
  const response = watchBody(inner, {
    maxUnreadBytes: 1000,
    signal,
    logger,
    onEnd() {
      ends += 1
      ended.resolve()
    },
  })
  return { response, ended: ended.promise, ends: () => ends, logged }
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

test('cuts a reader off that leaves too much unread, without a word in the body, and stops the source', async () => {
  const cancelled = Promise.withResolvers<unknown>()
  const { response, ended, logged } = watch({
    pull: (controller) => controller.enqueue(new Uint8Array(100)),
    cancel: (reason) => cancelled.resolve(reason),
  })
  await ended
  expect(await cancelled.promise).toBeInstanceOf(Error)
  expect((await response.arrayBuffer()).byteLength).toBe(1000)
  expect(logged).toEqual(['a stream of the MCP endpoint was cut'])
})

test('a reader that stalls and comes back finds an ended stream, and nothing in it but what was sent', async () => {
  let ended: Promise<void> | undefined
  const http = await hostFetch(() => {
    const watched = watch({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x61)) })
    ended = watched.ended
    return watched.response
  })
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(http.url, resolve).on('error', reject)
    })
    await eventually('the stream was cut', () => ended !== undefined)
    await ended
    const body = await buffer(answer)
    expect(body.length).toBeGreaterThan(0)
    expect(body.every((byte) => byte === 0x61)).toBe(true)
  } finally {
    await http.close()
  }
})

test('a client that leaves stops the source', async () => {
  const cancelled = Promise.withResolvers<unknown>()
  const { response, ended, ends } = watch({ cancel: cancelled.resolve })
  await response.body?.cancel('gone')
  expect(await cancelled.promise).toBe('gone')
  await ended
  expect(ends()).toBe(1)
})

test.each(['before', 'after'])('a signal that aborts %s it began ends it', async (when) => {
  const abort = new AbortController()
  if (when === 'before') abort.abort()
  const cancelled = Promise.withResolvers<unknown>()
  const { response, ended, ends } = watch({ cancel: cancelled.resolve }, abort.signal)
  abort.abort()
  await ended
  await cancelled.promise
  expect(await response.text()).toBe('')
  expect(ends()).toBe(1)
})

test('a source that does not stop cleanly is no matter of the reader', async () => {
  const abort = new AbortController()
  const stubborn = { cancel: () => Promise.reject(new Error('the secret is hunter2')) }
  const { response, ended, logged } = watch(stubborn, abort.signal)
  abort.abort()
  await ended
  expect(await response.text()).toBe('')
  await eventually('it is logged', () => logged.includes('the source of a stream did not stop cleanly'))
})

test('a source that fails ends the stream without its words', async () => {
  const { response, ended, logged } = watch({
    start: (controller) => controller.error(new Error('the secret is hunter2')),
  })
  await ended
  expect(await response.text()).toBe('')
  expect(logged).toEqual(['a stream of the MCP endpoint failed'])
})

test.each([
  ['without a body', new Response(null, { status: 202 })],
  ['that is no stream', Response.json({})],
])('a response %s passes as it is', (_name, inner) => {
  let ends = 0
  const onEnd = () => {
    ends += 1
  }
  expect(
    watchBody(inner, { maxUnreadBytes: 1, signal: undefined, logger: createSilentLogger(), onEnd }),
  ).toBe(inner)
  expect(ends).toBe(1)
})
