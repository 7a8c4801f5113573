import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { createCell, idOf, sourceOf } from './cells.ts'
import { indexIn, toPerson } from './person.ts'

function makeText() {
  const doc = new Y.Doc()
  const cell = createCell('code', 'abc')
  doc.getArray('cells').push([cell])
  const text = sourceOf(cell)
  const find = (head: unknown) => {
    const person = toPerson({ id: 1, state: { cursors: [{ head }] }, doc, isSelf: false })
    return { cell: person.cell, index: person.cursor && indexIn(text, person.cursor) }
  }
  return { doc, cell, text, find }
}

test.each([0, 2, 3])('a cursor at %i is found in its cell', (index) => {
  const { cell, text, find } = makeText()
  const head: unknown = JSON.parse(JSON.stringify(Y.createRelativePositionFromTypeIndex(text, index)))
  expect(find(head)).toEqual({ cell: idOf(cell), index })
})

test.each([-5, -1, 0.5, 2 ** 60, 'x', '1', null, undefined, {}, [1]])(
  'a clock or a client of %j is nowhere',
  (wrong) => {
    const { doc, find } = makeText()
    const known = doc.clientID
    for (const id of [
      { client: known, clock: wrong },
      { client: wrong, clock: 1 },
    ]) {
      expect(find({ item: id })).toEqual({ cell: undefined, index: undefined })
      expect(find({ type: id })).toEqual({ cell: undefined, index: undefined })
    }
  },
)

test('a cursor in a type by its name makes no such type', () => {
  const { doc, find } = makeText()
  expect(find({ tname: 'made up' })).toEqual({ cell: undefined, index: undefined })
  expect([...doc.share.keys()]).toEqual(['cells'])
})

test.each([undefined, 'x', [], [null], [{}], [{ head: 1 }], [{ head: { item: 1, type: 'x' } }]])(
  'cursors of %j are none',
  (cursors) => {
    const { doc } = makeText()
    expect(toPerson({ id: 1, state: { cursors }, doc, isSelf: false }).cursor).toBeUndefined()
  },
)
