import { describe, expect, test } from 'vitest'
import { mapBounded } from './map-bounded.ts'

describe('a bounded map', () => {
  test('keeps the order and never has more at work than allowed', async () => {
    let working = 0
    let most = 0
    const results = await mapBounded([5, 1, 4, 2, 3, 0, 6], 3, async (item) => {
      working += 1
      most = Math.max(most, working)
      for (let turn = 0; turn < item; turn += 1) await Promise.resolve()
      working -= 1
      return item * 2
    })
    expect(results).toEqual([10, 2, 8, 4, 6, 0, 12])
    expect(most).toBe(3)
  })

  test('fails when one fails, and takes no items', async () => {
    await expect(
      mapBounded([1, 2], 2, async (item) => Promise.reject(new Error(`no ${item}`))),
    ).rejects.toThrow('no 1')
    expect(await mapBounded([], 2, async () => 1)).toEqual([])
  })
})
