import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

test('the order of keys does not matter, that of items does', () => {
  expect(canonicalJson({ b: 1, a: { d: [2, 1], c: null } })).toBe('{"a":{"c":null,"d":[2,1]},"b":1}')
  expect(canonicalJson({ a: { c: null, d: [2, 1] }, b: 1 })).toBe('{"a":{"c":null,"d":[2,1]},"b":1}')
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
})

test.each([
  ['a member that is undefined is none', { a: undefined, b: 1 }, '{"b":1}'],
  ['a text keeps every character', { a: '\u202e"\\\n' }, '{"a":"\u202e\\"\\\\\\n"}'],
  [
    'names of prototypes are names',
    JSON.parse('{"__proto__":{"x":1},"constructor":2}'),
    '{"__proto__":{"x":1},"constructor":2}',
  ],
  ['what is no JSON is nothing', { a: () => 1 }, '{"a":null}'],
  ['numbers are those of JSON', [1.0, 1e21, -0], '[1,1e+21,0]'],
])('%s', (_what, value, expected) => {
  expect(canonicalJson(value)).toBe(expected)
})

test('what has no end, or hardly one, is refused', () => {
  const round: Record<string, unknown> = {}
  round.self = round
  expect(() => canonicalJson(round)).toThrow(/nested deeper/)
  expect(() => canonicalJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toThrow(/nested deeper/)
})
