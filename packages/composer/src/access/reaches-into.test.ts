import { expect, test } from 'vitest'
import { reachesInto } from './reaches-into.ts'

test.each([
  ['*', 'files:', true],
  ['*:*', 'files:', true],
  ['files:*', 'files:', true],
  ['files:read', 'files:', true],
  ['files:', 'files:', true],
  ['f*:read', 'files:', true],
  ['*:read', 'files:', true],
  ['*read', 'files:', true],
  ['**s:x', 'files:', true],
  ['file?:x', 'files:', true],
  ['f*', 'files:', true],
  ['😀?:x', '😀s:', true],
  ['files', 'files:', false],
  ['file', 'files:', false],
  ['web:*', 'files:', false],
  ['files2:*', 'files:', false],
  ['file?', 'files:', false],
  ['?files:*', 'files:', false],
  ['[a-z]*', 'files:', false],
  ['', 'files:', false],
])('%j leads into %j: %j', (pattern, start, expected) => {
  expect(reachesInto(pattern, start)).toBe(expected)
})

test('a pattern of many stars is no trap', () => {
  expect(reachesInto(`${'*a'.repeat(100)}b`, 'a'.repeat(64))).toBe(true)
  expect(reachesInto(`${'?*'.repeat(100)}`, 'a'.repeat(64))).toBe(true)
  expect(reachesInto(`b${'*a'.repeat(100)}`, 'a'.repeat(64))).toBe(false)
})
