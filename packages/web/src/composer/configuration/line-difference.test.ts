import { expect, test } from 'vitest'
import { differ } from './line-difference.ts'

const SIGNS = { same: ' ', added: '+', removed: '-' } as const

function show(before: string, after: string): string {
  return differ(before, after)
    .map(({ kind, text }) => SIGNS[kind] + text)
    .join('|')
}

test.each([
  ['a\nb\nc', 'a\nb\nc', ' a| b| c'],
  ['a\nb\nc', 'a\nc', ' a|-b| c'],
  ['a\nc', 'a\nb\nc', ' a|+b| c'],
  ['a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
  ['a', 'a\na', ' a|+a'],
  ['a\na', 'a', ' a|-a'],
  ['', 'a', '-|+a'],
  ['a\nb\nc\nd', 'b\nx\nd\ne', '-a| b|-c|+x| d|+e'],
])('from %j to %j', (before, after, expected) => {
  expect(show(before, after)).toBe(expected)
})

test('lines keep their numbers on both sides', () => {
  expect(differ('a\nb\nc', 'x\na\nc')).toEqual([
    { kind: 'added', text: 'x', newLine: 1 },
    { kind: 'same', text: 'a', oldLine: 1, newLine: 2 },
    { kind: 'removed', text: 'b', oldLine: 2 },
    { kind: 'same', text: 'c', oldLine: 3, newLine: 3 },
  ])
})

test('texts too different to be compared are replaced whole', () => {
  const lines = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join('\n')
  const found = differ(lines('a'), lines('b'))
  expect(found.filter(({ kind }) => kind === 'removed')).toHaveLength(3_000)
  expect(found.filter(({ kind }) => kind === 'added')).toHaveLength(3_000)
})
