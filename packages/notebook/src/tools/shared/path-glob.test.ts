import { describe, expect, test } from 'vitest'
import { ToolError } from '../../tool-error.ts'
import { createPathGlob } from './path-glob.ts'

describe('a glob', () => {
  test.each([
    ['*.ipynb', 'a.ipynb', true],
    ['*.ipynb', 'deep/down/a.ipynb', true],
    ['*.ipynb', 'a.ipynb.txt', false],
    ['*.ipynb', 'A.IPYNB', false],
    ['data', 'data', true],
    ['data', 'data/x.csv', false],
    ['data/*', 'data/x.csv', true],
    ['data/*', 'data/deep/x.csv', false],
    ['data/*', 'x.csv', false],
    ['data/**', 'data/deep/x.csv', true],
    ['data/**', 'data', true],
    ['**/*.csv', 'x.csv', true],
    ['**/*.csv', 'data/deep/x.csv', true],
    ['data/**/x.csv', 'data/x.csv', true],
    ['data/**/x.csv', 'data/a/b/x.csv', true],
    ['data/**/x.csv', 'other/a/x.csv', false],
    ['**/a/**/b', 'x/a/y/a/z/b', true],
    ['**', 'anything', true],
    ['/data/*', 'data/x.csv', true],
    ['./data/*', 'data/x.csv', true],
    ['?.csv', 'x.csv', true],
    ['?.csv', 'xy.csv', false],
    ['?.csv', '😀.csv', true],
    ['[a-c]1', 'b1', true],
    ['[a-c]1', 'd1', false],
    ['[!a-c]1', 'd1', true],
    ['[^a-c]1', 'a1', false],
    ['[]]', ']', true],
    ['[-a]', '-', true],
    ['a[b', 'a[b', true],
    ['*.{csv,tsv}', 'x.tsv', true],
    ['*.{csv,tsv}', 'x.txt', false],
    ['{a,b/{c,d}}', 'b/d', true],
    ['{one}', '{one}', true],
    ['a.b', 'axb', false],
    ['a+b (1)$', 'a+b (1)$', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['', 'x', false],
  ])('%j against %j: %j', (pattern, path, expected) => {
    expect(createPathGlob(pattern)(path)).toBe(expected)
  })

  test('refuses a pattern that would explode', () => {
    expect(() => createPathGlob('{a,b}'.repeat(30))).toThrow(ToolError)
  })

  test('answers for a pattern made to make matchers despair', () => {
    const matches = createPathGlob(`${'*a'.repeat(200)}/${'**/'.repeat(200)}b`)
    expect(matches(`${'a'.repeat(2000)}/${'x/'.repeat(500)}c`)).toBe(false)
  })
})
