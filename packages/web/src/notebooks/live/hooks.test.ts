import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { createCell } from './cells.ts'
import { changesList, listCells } from './hooks.ts'

test.each([
  ['a text', () => 'x = 1'],
  ['a map', () => new Y.Map()],
  ['nothing', () => undefined],
])('a cell whose source becomes %s is taken off the list', (_, makeSource) => {
  const cells = new Y.Doc().getArray<unknown>('cells')
  const broken = createCell('code', 'a')
  const sound = createCell('code', 'b')
  cells.push([broken, sound])
  expect(listCells(cells).map(({ cell }) => cell)).toEqual([broken, sound])
  const told: boolean[] = []
  cells.observeDeep((events) => told.push(events.some(changesList)))
  broken.set('source', makeSource())
  expect(told).toEqual([true])
  expect(listCells(cells).map(({ cell }) => cell)).toEqual([sound])
})

test('a cell whose source becomes another one is listed with that', () => {
  const cells = new Y.Doc().getArray<unknown>('cells')
  const cell = createCell('code', 'a')
  cells.push([cell])
  const other = new Y.Text('b')
  cell.set('source', other)
  expect(listCells(cells).map(({ source }) => source)).toEqual([other])
})
