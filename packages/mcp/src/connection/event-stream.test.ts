import { expect, test } from 'vitest'
import { createEventStream } from './event-stream.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

test('every reader gets every event from its subscription on, and ends with the stream', async () => {
  const stream = createEventStream<number>()
  const early = stream.subscribe()
  stream.emit(1)
  const late = stream.subscribe()
  stream.emit(2)
  stream.end()
  expect(await collect(early)).toEqual([1, 2])
  expect(await collect(late)).toEqual([2])
  expect(await collect(stream.subscribe())).toEqual([])
})

test('a reader that waits is woken by an event and by its signal', async () => {
  const stream = createEventStream<number>()
  const abort = new AbortController()
  const seen: number[] = []
  const reading = (async () => {
    for await (const event of stream.subscribe(abort.signal)) {
      if (event instanceof Object) continue
      seen.push(event)
      if (event === 2) abort.abort()
    }
  })()
  await Promise.resolve()
  stream.emit(1)
  await Promise.resolve()
  stream.emit(2)
  await reading
  expect(seen).toEqual([1, 2])
})

test('a slow reader loses the oldest events and is told how many', async () => {
  const stream = createEventStream<number>()
  const reader = stream.subscribe()
  for (let event = 0; event < 1500; event += 1) stream.emit(event)
  stream.end()
  const [first, second, ...rest] = await collect(reader)
  expect(first).toEqual({ type: 'dropped', count: 500 })
  expect(second).toBe(500)
  expect(rest.at(-1)).toBe(1499)
})
