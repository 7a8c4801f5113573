import { expect, test } from 'vitest'
import { batchLines, createBatches } from './execution-batches.ts'

function batchesOf(times: readonly number[]) {
  const batches = createBatches()
  for (const seconds of times) batches.add(seconds)
  return batches.all()
}

test('puts outputs of one second together', () => {
  expect(batchesOf([0.1, 0.4, 0.9, 3.2, 3.3])).toEqual([
    { seconds: 0.9, count: 3 },
    { seconds: 3.3, count: 2 },
  ])
})

test('tells of batches only when there are several', () => {
  expect(batchLines(batchesOf([]))).toEqual([])
  expect(batchLines(batchesOf([0.1, 0.2]))).toEqual([])
  expect(batchLines(batchesOf([0.1, 0.2, 12.34]))).toEqual([
    '[0.2s] 2 new output(s), 2 total',
    '[12.3s] 1 new output(s), 3 total',
  ])
})

test.each([11, 100, 4000])('stays short when there are outputs in %i seconds', (count) => {
  const batches = batchesOf(Array.from({ length: count }, (_, second) => second + 0.5))
  expect(batches.length).toBeLessThanOrEqual(10)
  expect(batches.length).toBeGreaterThan(4)
  expect(batches.reduce((sum, batch) => sum + batch.count, 0)).toBe(count)
  expect(batches.at(-1)?.seconds).toBe(count - 0.5)
})
