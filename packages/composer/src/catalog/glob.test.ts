import { expect, test } from 'vitest'
import { matchesAnyGlob, matchesGlob } from './glob.ts'

test.each([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['*', 'anything at all', true],
  ['a', 'a', true],
  ['a', 'A', false],
  ['a', 'ab', false],
  ['a*', 'a', true],
  ['a*', 'ba', false],
  ['*a', 'ba', true],
  ['*a', 'ab', false],
  ['get_*', 'get_', true],
  ['get_*_by_*', 'get_user_by_id', true],
  ['get_*_by_*', 'get_user', false],
  ['*ab', 'aab', true],
  ['*ab*ab', 'abab', true],
  ['*ab*ab', 'aba', false],
  ['?', '', false],
  ['?', 'a', true],
  ['?', '😀', true],
  ['??', '😀', false],
  ['a?c', 'abc', true],
  ['*?', '😀', true],
  ['files:*', 'files:read', true],
  ['files:*', 'files2:read', false],
  ['***a***', 'bab', true],
  // What means something to regular expressions and shells means itself.
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['[ab]', '[ab]', true],
  ['(a+)+$', 'aaa', false],
  ['a|b', 'a', false],
  ['{a,b}', 'a', false],
  ['\\*', 'a', false],
  ['\\*', '\\anything', true],
  ['^a$', 'a', false],
  ['a\n*', 'a\nb', true],
])('%j against %j is %s', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected)
})

test('patterns that make others hang come to an end', () => {
  const long = 'a'.repeat(10_000)
  expect(matchesGlob(`${'*a'.repeat(200)}b`, long)).toBe(false)
  expect(matchesGlob(`${'*?'.repeat(200)}b`, long)).toBe(false)
  expect(matchesGlob('*'.repeat(10_000), long)).toBe(true)
  expect(matchesGlob(`*${'a'.repeat(1_000)}b`, long)).toBe(false)
})

test('one of several is enough, and none is never', () => {
  expect(matchesAnyGlob(['a*', 'b*'], 'bee')).toBe(true)
  expect(matchesAnyGlob(['a*', 'b*'], 'sea')).toBe(false)
  expect(matchesAnyGlob([], '')).toBe(false)
})
