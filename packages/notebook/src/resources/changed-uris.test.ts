import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../document/document.ts'
import type { Cell, Output } from '../document/nbformat.ts'
import { changedUris } from './changed-uris.ts'

function code(id: string | undefined, source: string, ...texts: string[]): Cell {
  const outputs = texts.map((text): Output => ({ output_type: 'stream', name: 'stdout', text }))
  return { cell_type: 'code', source, metadata: {}, outputs, execution_count: null, ...(id ? { id } : {}) }
}

function snapshot(revision: string, ...cells: Cell[]): Snapshot {
  return { revision, notebook: { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 } }
}

describe('what has changed in a notebook', () => {
  const before = snapshot('1', code('a', 'x = 1'), code('b', 'print(x)', '1\n', 'two'))

  test('is nothing while its revision stays', () => {
    expect(changedUris('n', before, snapshot('1', code('a', 'x = 2')))).toEqual([])
  })

  test('is the cell whose source changed, not its neighbour', () => {
    const after = snapshot('2', code('a', 'x = 2'), code('b', 'print(x)', '1\n', 'two'))
    expect(changedUris('n', before, after)).toEqual(['notebook://n', 'notebook://n/cells/a'])
  })

  test('is the output that changed, not the source beside it', () => {
    const after = snapshot('2', code('a', 'x = 1'), code('b', 'print(x)', '1\n', 'three', 'four'))
    expect(changedUris('n', before, after)).toEqual([
      'notebook://n',
      'notebook://n/cells/b/outputs/1',
      'notebook://n/cells/b/outputs/2',
    ])
  })

  test('is a cell that is gone with its outputs, and one that is new', () => {
    const after = snapshot('2', code('a', 'x = 1'), code('c', 'new'))
    expect(changedUris('my notes', before, after)).toEqual([
      'notebook://my%20notes',
      'notebook://my%20notes/cells/b',
      'notebook://my%20notes/cells/b/outputs/0',
      'notebook://my%20notes/cells/b/outputs/1',
      'notebook://my%20notes/cells/c',
    ])
  })

  test('is no cell when cells only changed places', () => {
    const [first, second] = before.notebook.cells
    if (!first || !second) throw new Error('the notebook has two cells')
    expect(changedUris('n', before, snapshot('2', second, first))).toEqual(['notebook://n'])
  })

  test('is told by position where cells have no ids', () => {
    const old = snapshot('1', code(undefined, 'a'), code(undefined, 'b'))
    const now = snapshot('2', code(undefined, 'a'), code(undefined, 'c'))
    expect(changedUris('n', old, now)).toEqual(['notebook://n', 'notebook://n/cells/@1'])
  })
})
