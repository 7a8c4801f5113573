import { expect, test } from 'vitest'
import { createRowId } from './row-id.ts'

test('an id is a UUID of version 7', () => {
  expect(createRowId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('ids stand in the order of their times', () => {
  const times = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1]
  const ids = times.map((at) => createRowId(at))
  expect(ids.toSorted()).toEqual(ids)
  expect(createRowId(0x0123_4567_89ab)).toMatch(/^01234567-89ab-7/)
})

test('ids of one millisecond differ', () => {
  const ids = Array.from({ length: 10_000 }, () => createRowId(1_700_000_000_000))
  expect(new Set(ids).size).toBe(ids.length)
})
