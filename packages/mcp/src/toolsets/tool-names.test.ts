import { expect, test } from 'vitest'
import { modelNameOf } from './tool-names.ts'

const ACCEPTED = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

test('a plain name stays readable', () => {
  expect(modelNameOf('notebook', 'read_cell')).toBe('notebook__read_cell')
  expect(modelNameOf('a', '_b')).toBe('a___b')
})

const HOSTILE: readonly (readonly [string, string])[] = [
  ['notebook', 'read cell'],
  ['notebook', 'read.cell'],
  ['notebook', 'read/cell'],
  ['note.book', 'read_cell'],
  ['note_book', 'read_cell '],
  ['7up', 'drink'],
  ['notebook', ''],
  ['notebook', 'lesen – jetzt'],
  ['notebook', '\u0000\n"\u{1f600}'],
  ['notebook', 'x'.repeat(55)],
  ['notebook', 'x'.repeat(56)],
  ['notebook', 'x'.repeat(5_000)],
  ['n'.repeat(64), 'x'],
  ['n'.repeat(64), 'y'],
  ['a', 'b__c'],
  ['a__b', 'c'],
  ['a_', 'b'],
  ['a', '_b'],
  ['a', '__proto__'],
  // What a server would call its tool to be taken for another's.
  ['notebook', modelNameOf('notebook', 'read cell').slice('notebook__'.length)],
  ['note_book', modelNameOf('note.book', 'read_cell').slice('note_book__'.length)],
]

test('every name is one that model APIs take, and no two tools share one', () => {
  const names = HOSTILE.map(([toolset, tool]) => modelNameOf(toolset, tool))
  for (const name of names) expect(name).toMatch(ACCEPTED)
  expect(new Set(names).size).toBe(names.length)
  expect(HOSTILE.map(([toolset, tool]) => modelNameOf(toolset, tool))).toEqual(names)
})
