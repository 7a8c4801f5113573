import { expect, test } from 'vitest'
import { shareOut } from './share-out.ts'

test.each([
  [[], 100, []],
  [[10, 20], 100, [10, 20]],
  [[1000], 100, [100]],
  [[1000, 1000], 100, [50, 50]],
  [[10, 1000, 1000], 100, [10, 45, 45]],
  [[1000, 10, 60], 100, [45, 10, 45]],
  [[1000, 0, 5], 0, [0, 0, 0]],
])('%j from %i gives %j', (needs, budget, expected) => {
  expect(shareOut(needs, budget)).toEqual(expected)
})
