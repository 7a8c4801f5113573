import { once } from 'node:events'
import { createLogger } from '@quire/kit/log'
import { createSse } from '@quire/kit/stream/sse'
import { expect, test } from 'vitest'
import type { StreamFailure } from '../stream-failure.ts'
import { ndjsonResponse } from './ndjson.ts'

const options = {
  logger: createLogger({ level: 'silent', pretty: false }),
  signals: [],
  headers: { 'x-a': 'b' },
  enter: () => () => undefined,
  lastLine: (failure?: StreamFailure) => ({ last: failure?.statusCode ?? true }),
}

test('one value a line, nothing before somebody reads', async () => {
  let isStarted = false
  const response = ndjsonResponse(async function* () {
    isStarted = true
    yield { a: 'one\ntwo' }
    yield [2]
  }, options)
  expect(isStarted).toBe(false)
  expect(response.headers.get('x-a')).toBe('b')
  expect(await response.text()).toBe('{"a":"one\\ntwo"}\n[2]\n')
})

test('a source that fails is told with a last line', async () => {
  const response = ndjsonResponse(async function* () {
    yield 1
    throw new Error('secret reason')
  }, options)
  expect(await response.text()).toBe('1\n{"last":true}\n')
})

test('a quiet source sends empty lines', async () => {
  const held = Promise.withResolvers<void>()
  const response = ndjsonResponse(
    async function* () {
      await held.promise
      yield 1
    },
    { ...options, heartbeatMs: 10 },
  )
  const reader = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('\n')
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('\n')
  held.resolve()
  await expect.poll(async () => Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('1\n')
})

async function* untilAborted(signal: AbortSignal): AsyncGenerator<number> {
  yield 1
  if (!signal.aborted) await once(signal, 'abort')
}

test('a signal of ours ends it, and the reader is told', async () => {
  const revoked = new AbortController()
  const response = ndjsonResponse(untilAborted, { ...options, signals: [undefined, revoked.signal] })
  const reader = response.body?.getReader()
  await reader?.read()
  revoked.abort()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"last":401}\n')
  expect((await reader?.read())?.done).toBe(true)
})

test('it is counted while it is read, and one too many is told so', async () => {
  const { readers } = createSse({ logger: options.logger, mostReaders: 1 })
  const counted = { ...options, enter: () => readers.enter('ada') }
  const first = ndjsonResponse(untilAborted, counted).body?.getReader()
  await first?.read()
  expect(await ndjsonResponse(untilAborted, counted).text()).toBe('{"last":429}\n')
  await first?.cancel()
  expect(
    await ndjsonResponse(async function* () {
      yield 1
    }, counted).text(),
  ).toBe('1\n')
  expect(readers.enter('ada')).toBeDefined()
})

test('a reader that leaves, or takes nothing for long, ends the source', async () => {
  const ended: string[] = []
  const source = (name: string) =>
    async function* (signal: AbortSignal) {
      try {
        yield* untilAborted(signal)
      } finally {
        ended.push(name)
      }
    }
  const left = ndjsonResponse(source('left'), options).body?.getReader()
  await left?.read()
  const pending = left?.read()
  await left?.cancel()
  await pending
  await expect.poll(() => ended).toEqual(['left'])

  const stuck = ndjsonResponse(
    async function* () {
      try {
        for (;;) yield 1
      } finally {
        ended.push('stuck')
      }
    },
    { ...options, heartbeatMs: 5 },
  ).body?.getReader()
  await stuck?.read()
  await expect.poll(() => ended).toEqual(['left', 'stuck'])
  await expect(stuck?.read()).rejects.toThrow('took nothing for too long')
})
