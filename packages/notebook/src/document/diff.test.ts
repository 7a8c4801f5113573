import { expect, test } from 'vitest'
import { unifiedDiff } from './diff.ts'

test.each([
  ['nothing', 'a\nb', 'a\nb', ''],
  ['a line', 'a\nb\nc', 'a\nB\nc', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c'],
  ['the last line', 'a\nb', 'a\nc', '@@ -1,2 +1,2 @@\n a\n-b\n+c'],
  ['the final line break alone', 'a', 'a\n', '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a'],
  ['the final line break taken away', 'a\n', 'a', '@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file'],
  ['a second final line break', 'a\n', 'a\n\n', '@@ -1,1 +1,2 @@\n a\n+'],
  ['a line end of another system', 'a\r\nb', 'a\nb', '@@ -1,2 +1,2 @@\n-a\r\n+a\n b'],
  ['something out of nothing', '', 'a\nb', '@@ -0,0 +1,2 @@\n+a\n+b'],
  ['something into nothing', 'a', '', '@@ -1,1 +0,0 @@\n-a'],
  ['text beyond the basic plane', 'x = "🎻"', 'x = "🎺"', '@@ -1,1 +1,1 @@\n-x = "🎻"\n+x = "🎺"'],
])('shows a change of %s', (_what, before, after, expected) => {
  expect(unifiedDiff(before, after)).toBe(expected)
})

test('shows three lines around a change, and leaves out the rest', () => {
  const before = Array.from({ length: 100 }, (_, line) => `line ${line}`)
  const after = before.with(50, 'changed')
  expect(unifiedDiff(before.join('\n'), after.join('\n')).split('\n')).toEqual([
    '@@ -48,7 +48,7 @@',
    ' line 47',
    ' line 48',
    ' line 49',
    '-line 50',
    '+changed',
    ' line 51',
    ' line 52',
    ' line 53',
  ])
})

test('shows texts that have nothing in common without searching for long', () => {
  const before = Array.from({ length: 20_000 }, (_, line) => `before ${line}`)
  const after = Array.from({ length: 20_000 }, (_, line) => `after ${line}`)
  const lines = unifiedDiff(before.join('\n'), after.join('\n')).split('\n')
  expect(lines).toHaveLength(40_001)
  expect(lines[0]).toBe('@@ -1,20000 +1,20000 @@')
})
