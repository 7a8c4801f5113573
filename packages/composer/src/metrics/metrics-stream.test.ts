import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { streamMetrics } from './metrics-stream.ts'

test('gives a snapshot at once and then one after the other, until the signal', async () => {
  const end = new AbortController()
  let count = 0
  const seen: number[] = []
  for await (const number of streamMetrics(() => (count += 1), end.signal, 1)) {
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
