import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { writeText } from '../cell/write-text.ts'
import {
  changeType,
  createCell,
  deleteCell,
  idOf,
  insertCell,
  isCell,
  moveCell,
  sourceOf,
  tellDoublesApart,
} from './cells.ts'
import { LOCAL, type SharedNotebook } from './shared-notebook.ts'

function makeNotebook(...sources: string[]) {
  const doc = new Y.Doc()
  const cells = doc.getArray<unknown>('cells')
  cells.push(sources.map((source) => createCell('code', source)))
  const undo = new Y.UndoManager(cells, { trackedOrigins: new Set([LOCAL]) })
  // None of these has to do with who is there.
  const shared = { doc, cells, undo } as unknown as SharedNotebook
  const at = (index: number) => {
    const cell = cells.get(index)
    if (!isCell(cell)) throw new Error('no cell')
    return cell
  }
  const texts = () => cells.toArray().map((_, index) => sourceOf(at(index)).toString())
  return { shared, at, texts }
}

test('a cell that moves stays itself; the one that it changes places with is a copy of the same id', () => {
  const { shared, at, texts } = makeNotebook('a', 'b', 'c')
  const [first, id] = [at(0), idOf(at(1))]
  moveCell(shared, first, 1)
  expect(texts()).toEqual(['b', 'a', 'c'])
  expect(at(1)).toBe(first)
  expect(idOf(at(0))).toBe(id)
  moveCell(shared, first, -1)
  expect(texts()).toEqual(['a', 'b', 'c'])
  moveCell(shared, first, -1)
  moveCell(shared, at(2), 1)
  expect(texts()).toEqual(['a', 'b', 'c'])
})

test('each step is undone for itself', () => {
  const { shared, at, texts } = makeNotebook('a', 'b')
  writeText(sourceOf(at(0)), 'ax', 2)
  deleteCell(shared, at(1))
  insertCell(shared, 9, 'markdown')
  expect(texts()).toEqual(['ax', ''])
  shared.undo.undo()
  expect(texts()).toEqual(['ax'])
  shared.undo.undo()
  expect(texts()).toEqual(['ax', 'b'])
  shared.undo.undo()
  expect(texts()).toEqual(['a', 'b'])
})

test('another kind has the same id and text, and only code has outputs', () => {
  const { shared, at } = makeNotebook('# a')
  const id = idOf(at(0))
  changeType(shared, at(0), 'markdown')
  expect(at(0).toJSON()).toEqual({ id, cell_type: 'markdown', source: '# a', metadata: {} })
  changeType(shared, at(0), 'code')
  expect(at(0).toJSON()).toMatchObject({ id, cell_type: 'code', outputs: [], execution_count: null })
})

test('line ends of other systems become one kind with the first edit', () => {
  const { at, texts } = makeNotebook('a\r\nb\rc\n')
  writeText(sourceOf(at(0)), 'a\nb\nc\n!', 7)
  expect(texts()).toEqual(['a\nb\nc\n!'])
})

test('a cell that is there twice is told apart, and the first keeps its id', () => {
  const { shared, at, texts } = makeNotebook('a', 'b')
  const id = idOf(at(0))
  shared.cells.push([at(0).clone()])
  expect(idOf(at(2))).toBe(id)
  tellDoublesApart(shared)
  expect(new Set([idOf(at(0)), idOf(at(1)), idOf(at(2))]).size).toBe(3)
  expect(idOf(at(0))).toBe(id)
  expect(texts()).toEqual(['a', 'b', 'a'])
})
