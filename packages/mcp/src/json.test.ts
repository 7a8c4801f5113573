import { expect, test } from 'vitest'
import { exceedsDepth, MAX_DEPTH } from './json.ts'

const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`)

test.each([
  ['a text', 'x', false],
  ['null', null, false],
  ['as deep as allowed', nested(MAX_DEPTH), false],
  ['two deeper', nested(MAX_DEPTH + 2), true],
  ['a hundred thousand deep', nested(100_000), true],
  ['wide, not deep', Array.from({ length: 100_000 }, () => ({ a: [1] })), false],
])('%s: %#', (_name, value, expected) => {
  expect(exceedsDepth(value)).toBe(expected)
})
