import { expect, test } from 'vitest'
import { highlightPython } from './highlight.ts'

const lookOf = (text: string, part: string) =>
  highlightPython(text).find(({ text: shown }) => shown === part)?.className

test('words, texts, numbers and remarks are told apart', () => {
  const code = 'def f(x):  # def\n    return "a # b" + 0x1f'
  expect(lookOf(code, 'def')).toBe('text-accent')
  expect(lookOf(code, '# def')).toContain('italic')
  expect(lookOf(code, '"a # b"')).toBe('text-good')
  expect(lookOf(code, '0x1f')).toBe('text-busy')
})

test.each([
  '',
  'undefined_name',
  '"never closed',
  "'''over\nlines",
  '"\\"escaped\\"" x',
  '<script>alert(1)</script>',
  `x${'('.repeat(20_000)}`,
  `${'"'.repeat(49_999)}`,
])('nothing of %j is lost', (text) => {
  expect(
    highlightPython(text)
      .map(({ text: part }) => part)
      .join(''),
  ).toBe(text)
})
