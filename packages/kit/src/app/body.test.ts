import { expect, test } from 'vitest'
import { jsonDepth } from './body.ts'

test.each<[string, number]>([
  ['', 0],
  ['1', 0],
  ['{}', 1],
  ['[[[]]]', 3],
  ['{"a":[{"b":[]}]}', 4],
  ['"[[[["', 0],
  ['["[{", {"k": "]]"}]', 2],
  [String.raw`["\"[[", "\\"]`, 1],
  [String.raw`["\\\"[[", []]`, 2],
  ['["never closed [[[', 1],
  [']]]][', 0],
])('the depth of %s is %d', (text, depth) => {
  expect(jsonDepth(text, 64)).toBe(depth)
})

test('counting stops at the limit', () => {
  expect(jsonDepth('['.repeat(1_000_000), 64)).toBe(65)
})
