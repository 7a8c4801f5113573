import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Frame, PlacedFrame } from '../turns/frame.ts'
import { fenced } from './markdown.ts'
import { createSurface } from './surface.ts'
import { surfaceMessages } from './surface-stream.ts'

const open = (isKnown = false) => createSurface({ surfaceId: 'turn-1', conversationId: 'c-1', isKnown })
const text = (content: string): Frame => ({ type: 'text', content })

test('a text that grows is told in the data model, and its component once', () => {
  const surface = open()
  expect(surface.begin()).toMatchObject([
    { createSurface: { surfaceId: 'turn-1' } },
    { updateComponents: { components: [{ id: 'root', children: [] }] } },
  ])
  const first = surface.take(text('Hel'))
  expect(first).toMatchObject([
    { updateDataModel: { path: '/texts/text-0', value: 'Hel' } },
    { updateComponents: { components: [{ id: 'text-0' }, { id: 'root', children: ['text-0'] }] } },
  ])
  expect(surface.grown()).toBeUndefined()
  for (const part of ['lo', ' ', 'you']) expect(surface.take(text(part))).toEqual([])
  expect(surface.grown()).toBe(9)
  expect(surface.flush()).toEqual([
    {
      version: 'v0.9.1',
      updateDataModel: { surfaceId: 'turn-1', path: '/texts/text-0', value: 'Hello you' },
    },
  ])
  expect(surface.flush()).toEqual([])
})

test('what comes after a text waits for all of it', () => {
  const surface = open()
  surface.take(text('a'))
  surface.take(text('b'))
  const messages = surface.take({ type: 'error', detail: 'No model.', status_code: 503 })
  expect(messages).toMatchObject([
    { updateDataModel: { value: 'ab' } },
    { updateComponents: { components: [{ text: 'Error: No model.' }, { children: ['text-0', 'error-1'] }] } },
  ])
  expect(surface.take(text('c'))).toMatchObject([{ updateDataModel: { path: '/texts/text-2' } }, {}])
})

test('a surface that the renderer has is not made again', () => {
  expect(open(true).begin()).toEqual([])
})

test('what nobody shows changes nothing', () => {
  const surface = open()
  expect(surface.take({ type: 'usage', prompt_tokens: 1, completion_tokens: 1 })).toEqual([])
  expect(surface.take({ type: 'tool_result', tool_call_id: 'unknown', result: { content: [] } })).toEqual([])
  expect(surface.take({ type: 'done' })).toEqual([])
})

test('of what a tool says, no more is shown than a person reads, and none of it as Markdown', () => {
  expect(fenced('a ``` b ```` c')).toBe('`````\na ``` b ```` c\n`````')
  expect(fenced('')).toBe('')
  expect(fenced('x'.repeat(1_000_000)).length).toBeLessThan(2_100)
})

async function* framesOf(parts: AsyncIterable<Frame> | Iterable<Frame>): AsyncGenerator<PlacedFrame> {
  let place = 0
  for await (const frame of parts) {
    place += 1
    yield { id: `t.${place}.0`, frame }
  }
}

async function collect(frames: AsyncIterable<PlacedFrame>) {
  const messages: { id?: string; message: object }[] = []
  for await (const message of surfaceMessages(frames, open())) messages.push(message)
  return messages
}

test('a thousand fragments at once are a handful of messages', async () => {
  const messages = await collect(
    framesOf([...Array.from({ length: 1_000 }, () => text('word ')), { type: 'done' }]),
  )
  expect(messages.length).toBeLessThan(20)
  expect(messages.at(-1)).toEqual({
    id: 't.1001.0',
    message: {
      version: 'v0.9.1',
      updateDataModel: { surfaceId: 'turn-1', path: '/texts/text-0', value: 'word '.repeat(1_000) },
    },
  })
})

test('a text that stands still is told all the same', async () => {
  const held = Promise.withResolvers<void>()
  async function* slowly(): AsyncGenerator<Frame> {
    yield text('a')
    yield text('b')
    await held.promise
    yield { type: 'done' }
  }
  const seen: string[] = []
  for await (const { message } of surfaceMessages(framesOf(slowly()), open())) {
    seen.push(JSON.stringify(message))
    if (seen.at(-1)?.includes('"value":"ab"')) held.resolve()
  }
  expect(seen.filter((message) => message.includes('"value":"ab"'))).toHaveLength(1)
})

test('a failure of the turn reaches the reader, and leaving ends the turn’s reader', async () => {
  async function* failing(): AsyncGenerator<PlacedFrame> {
    yield { id: 't.0.1', frame: text('a') }
    throw new Error('the store is gone')
  }
  await expect(collect(failing())).rejects.toThrow('the store is gone')

  let isEnded = false
  async function* endless(): AsyncGenerator<Frame> {
    try {
      for (;;) {
        yield text('a')
        await sleep(1)
      }
    } finally {
      isEnded = true
    }
  }
  for await (const { message } of surfaceMessages(framesOf(endless()), open())) {
    if ('updateDataModel' in message) break
  }
  await expect.poll(() => isEnded).toBe(true)
})
