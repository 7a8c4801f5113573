import { getEventListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { streamMetrics } from './metrics-stream.ts'

test('gives a snapshot at once and then one after the other, until the signal', async () => {
  const end = new AbortController()
  let count = 0
  const seen: unknown[] = []
  for await (const number of streamMetrics(() => (count += 1), end.signal, 50)) {
    seen.push(number)
    if (seen.length === 3) end.abort()
  }
  expect(seen).toEqual([1, 2, 3])
  expect(getEventListeners(end.signal, 'abort')).toEqual([])
})

test('gives nothing to one that has gone already, and says when it cannot be told', async () => {
  const gone = streamMetrics(() => 1, AbortSignal.abort())[Symbol.asyncIterator]()
  expect((await gone.next()).done).toBe(true)
  const failing = streamMetrics(
    () => {
      throw new Error('cannot count')
    },
    new AbortController().signal,
    1,
  )
  await expect(failing[Symbol.asyncIterator]().next()).rejects.toThrow('cannot count')
})

test('tells a late reader how many it has missed, and makes none for it meanwhile', async () => {
  const end = new AbortController()
  let count = 0
  const reading = streamMetrics(() => (count += 1), end.signal, 5)[Symbol.asyncIterator]()
  await reading.next()
  await wait(50)
  expect(count).toBe(1)
  const { value } = await reading.next()
  expect(value).toMatchObject({ type: 'dropped' })
  expect(value.count).toBeGreaterThanOrEqual(9)
  expect((await reading.next()).value).toBe(2)
  end.abort()
  for (let left = await reading.next(); !left.done; left = await reading.next()) expect(count).toBe(2)
})
