import { describe, expect, test } from 'vitest'
import { changeCellType } from './change-cell-type.ts'
import { deleteCells, insertCell, moveCell } from './edit-cells.ts'
import { findCell } from './find-cell.ts'
import { code, markdown, notebook, oldNotebook, raw, sources, stream } from './notebook.fixture.ts'

function three() {
  return notebook(code('a'), markdown('b'), code('c', { execution_count: 2, outputs: [stream('x')] }))
}

describe('a cell is found', () => {
  test('by its index and by its id', () => {
    expect(findCell(three(), { index: 2 })).toBe(2)
    expect(findCell(three(), { id: 'c1' })).toBe(1)
  })

  test.each([
    ['behind the last', three(), { index: 3 }, /index 3 is out of range.*\[0, 2\]/],
    ['before the first', three(), { index: -1 }, /out of range.*\[0, 2\]/],
    ['half-way', three(), { index: 0.5 }, /out of range/],
    ['not a number', three(), { index: Number.NaN }, /out of range/],
    ['in an empty notebook', notebook(), { index: 0 }, /out of range: the notebook has no cells/],
    ['by an unknown id', three(), { id: 'c9' }, /No cell has the id "c9"/],
    ['by an id that looks like an index', three(), { id: '0' }, /No cell has the id "0"/],
    ['by no id at all', three(), { id: '' }, /No cell has the id ""/],
    ['by an id where there are none', oldNotebook(code('a')), { id: 'a' }, /format 4\.2.*Use the index/],
    [
      'by an id in a format without ids',
      oldNotebook(code('a', { id: 'a' })),
      { id: 'a' },
      /format 4\.2.*Use the index/,
    ],
    [
      'by an id that two have',
      notebook(code('a', { id: 'd' }), code('b'), code('c', { id: 'd' })),
      { id: 'd' },
      /2 cells have the id "d", at the indices 0, 2\. Use the index/,
    ],
  ])('but not %s', (_what, book, target, message) => {
    expect(() => findCell(book, target)).toThrow(message)
  })
})

describe('inserting', () => {
  test.each([
    [0, 0, ['new', 'a', 'b', 'c']],
    [1, 1, ['a', 'new', 'b', 'c']],
    [3, 3, ['a', 'b', 'c', 'new']],
    [-1, 3, ['a', 'b', 'c', 'new']],
  ])('at %i puts the cell at %i', (gap, index, expected) => {
    const draft = three()
    expect(insertCell(draft, gap, 'code', 'new').index).toBe(index)
    expect(sources(draft)).toEqual(expected)
  })

  test.each([[-2], [4], [1.5], [Number.NaN]])('at %d is refused with the valid range', (gap) => {
    const draft = three()
    expect(() => insertCell(draft, gap, 'code', 'new')).toThrow(/out of range.*\[-1, 3\]/)
    expect(draft).toEqual(three())
  })

  test('gives a cell all that its type needs, and an id of its own', () => {
    const draft = notebook()
    for (let count = 0; count < 500; count += 1) insertCell(draft, -1, 'code', '')
    insertCell(draft, -1, 'markdown', 'm')
    expect(draft.cells[0]).toEqual({
      cell_type: 'code',
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      source: '',
      metadata: {},
      outputs: [],
      execution_count: null,
    })
    expect(Object.keys(draft.cells[500] ?? {}).sort()).toEqual(['cell_type', 'id', 'metadata', 'source'])
    expect(new Set(draft.cells.map((cell) => cell.id)).size).toBe(501)
  })

  test('into an older format gives no id', () => {
    const draft = oldNotebook(code('a'))
    expect(insertCell(draft, 0, 'raw', 'r').cell).toEqual({ cell_type: 'raw', source: 'r', metadata: {} })
  })
})

describe('deleting', () => {
  test('takes all cells named, and answers in the order of the caller with the old indices', () => {
    const draft = three()
    const deleted = deleteCells(draft, [2, 0])
    expect(deleted.map(({ index, cell }) => [index, cell.source])).toEqual([
      [2, 'c'],
      [0, 'a'],
    ])
    expect(sources(draft)).toEqual(['b'])
  })

  test.each([
    ['a duplicate', [0, 1, 0], /duplicate/],
    ['one behind the end', [0, 3], /out of range.*\[0, 2\]/],
    ['a negative one', [-1], /out of range/],
  ])('with %s deletes nothing', (_what, indices, message) => {
    const draft = three()
    expect(() => deleteCells(draft, indices)).toThrow(message)
    expect(draft).toEqual(three())
  })
})

describe('moving', () => {
  test.each([
    [0, 2, ['b', 'c', 'a']],
    [2, 0, ['c', 'a', 'b']],
    [0, 1, ['b', 'a', 'c']],
    [1, 1, ['a', 'b', 'c']],
  ])('from %i to %i', (from, to, expected) => {
    const draft = three()
    const moved = structuredClone(draft.cells[from])
    expect(moveCell(draft, from, to)).toEqual({ index: to, cell: moved })
    expect(sources(draft)).toEqual(expected)
    expect(draft.cells[to]).toEqual(moved)
  })

  test.each([
    [0, 3],
    [3, 0],
    [-1, 0],
    [0, -1],
  ])('from %i to %i is refused with the valid range', (from, to) => {
    const draft = three()
    expect(() => moveCell(draft, from, to)).toThrow(/out of range.*\[0, 2\]/)
    expect(draft).toEqual(three())
  })
})

describe('changing the type', () => {
  const attachments = { 'a.png': { 'image/png': 'AA' } }

  test.each([
    ['code', 'code', 0, 0],
    ['code', 'markdown', 2, 0],
    ['code', 'raw', 2, 0],
    ['markdown', 'code', 0, 1],
    ['markdown', 'raw', 0, 0],
    ['raw', 'markdown', 0, 0],
    ['raw', 'code', 0, 1],
  ] as const)('from %s to %s says what is lost', (from, to, removedOutputs, removedAttachments) => {
    const extra = { metadata: { tags: ['t'] } }
    const cells = {
      code: code('s', { execution_count: 1, outputs: [stream('x'), stream('y')], ...extra }),
      markdown: markdown('s', { attachments, ...extra }),
      raw: raw('s', { attachments, ...extra }),
    }
    const draft = notebook(cells[from])
    expect(changeCellType(draft, 0, to)).toEqual({ from, removedOutputs, removedAttachments })
    const cell = draft.cells[0]
    expect(cell).toMatchObject({ cell_type: to, source: 's', id: 'c0', metadata: { tags: ['t'] } })
    const keys = Object.keys(cell ?? {})
    expect(keys.includes('outputs') && keys.includes('execution_count')).toBe(to === 'code')
    if (from !== 'code' && to !== 'code') expect(cell).toMatchObject({ attachments })
    else expect(keys).not.toContain('attachments')
  })

  test('of a cell that is not there is refused', () => {
    expect(() => changeCellType(three(), 3, 'raw')).toThrow(/out of range/)
  })
})
