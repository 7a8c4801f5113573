import { expect, test } from 'vitest'
import { measureJson } from './json-size.ts'

test.each<[string, number, number]>([
  ['', 0, 0],
  ['1', 0, 0],
  ['{}', 1, 1],
  ['[[[]]]', 3, 3],
  ['[1,2,3]', 1, 3],
  ['{"a":[{"b":[]}]}', 4, 4],
  ['"[[[[,,,"', 0, 0],
  ['["[{", {"k": "]],"}]', 2, 3],
  [String.raw`["\"[[", "\\"]`, 1, 2],
  [String.raw`["\\\"[[", []]`, 2, 3],
  ['["never closed [[[', 1, 1],
  [']]]][', 0, 1],
])('%s is %d deep and holds about %d values', (text, depth, values) => {
  expect(measureJson(text, 64)).toEqual({ depth, values })
})

test('counting stops at the limit of the depth', () => {
  expect(measureJson('['.repeat(1_000_000), 64).depth).toBe(65)
})
