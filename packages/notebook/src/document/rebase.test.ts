import { describe, expect, test } from 'vitest'
import { ToolError } from '../tool-error.ts'
import type { EditPlace, Snapshot } from './document.ts'
import type { Notebook } from './nbformat.ts'
import { code, markdown, notebook, oldNotebook, stream } from './notebook.fixture.ts'
import { rebase } from './rebase.ts'

function at(revision: string, book: Notebook): Snapshot {
  return { notebook: book, revision }
}

const [a, b, c] = [code('a', { id: 'a' }), code('b', { id: 'b' }), code('c', { id: 'c' })]
const fresh = code('new', { id: 'n' })
const bare = { a: code('a'), b: code('b'), c: code('c'), fresh: code('new'), empty: code('') }

function place(where: EditPlace, seen: Notebook, now: Notebook) {
  return rebase(where, at('2', now), at('1', seen)).place
}

function refusal(where: EditPlace, seen: Notebook, now: Notebook): ToolError {
  try {
    place(where, seen, now)
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a cell is found again', () => {
  test.each([
    ['behind a new one', notebook(a, b), notebook(fresh, a, b), 1, 2],
    ['before a new one', notebook(a, b), notebook(a, fresh, b), 0, 0],
    ['after another was deleted', notebook(a, b, c), notebook(c), 2, 0],
    ['after it was moved', notebook(a, b, c), notebook(c, a, b), 2, 0],
    [
      'after its neighbours were changed',
      notebook(a, b, c),
      notebook({ ...a, source: 'A' }, b, { ...c, source: 'C' }),
      1,
      1,
    ],
    [
      'without ids, behind a new one',
      oldNotebook(bare.a, bare.b),
      oldNotebook(bare.fresh, bare.a, bare.b),
      1,
      2,
    ],
    [
      'without ids, after it was moved',
      oldNotebook(bare.a, bare.b, bare.c),
      oldNotebook(bare.c, bare.a, bare.b),
      2,
      0,
    ],
    [
      'without ids, among equal ones, by its neighbours',
      oldNotebook(bare.a, bare.empty, bare.b, bare.empty, bare.c),
      oldNotebook(bare.empty, bare.a, bare.empty, bare.fresh, bare.b, bare.empty, bare.c, bare.empty),
      3,
      5,
    ],
    [
      'without ids, at the end',
      oldNotebook(bare.empty, bare.a, bare.empty),
      oldNotebook(bare.a, bare.empty),
      2,
      1,
    ],
    ['under a new id', notebook(a, b), notebook(a, { ...b, id: 'z' }), 1, 1],
  ])('%s', (_what, seen, now, index, expected) => {
    for (const touches of ['source', 'outputs', 'structure'] as const) {
      expect(place({ cells: [{ index }], touches }, seen, now).cells).toEqual([expected])
    }
  })

  test('by its id, also when it is newer than what was seen', () => {
    expect(
      place({ cells: [{ id: 'b' }], touches: 'source' }, notebook(a, b), notebook(fresh, a, b)).cells,
    ).toEqual([2])
    expect(
      place({ cells: [{ id: 'n' }], touches: 'source' }, notebook(a, b), notebook(fresh, a, b)).cells,
    ).toEqual([0])
  })

  test('several at once, in the order asked for', () => {
    const where: EditPlace = { cells: [{ index: 1 }, { id: 'a' }], touches: 'structure' }
    expect(place(where, notebook(a, b), notebook(fresh, a, b)).cells).toEqual([2, 1])
  })

  test('although the server has marked it as trusted meanwhile', () => {
    const trusted = { ...b, metadata: { trusted: true } }
    expect(
      place({ cells: [{ index: 1 }], touches: 'structure' }, notebook(a, b), notebook(a, trusted)).cells,
    ).toEqual([1])
  })

  test('by an id that the server makes up at every reading, while the file is the same', () => {
    const where: EditPlace = { cells: [{ id: 'b' }], touches: 'source' }
    const again = notebook(a, { ...b, id: 'z' })
    expect(rebase(where, at('1', again), at('1', notebook(a, b))).place.cells).toEqual([1])
  })

  test('where it is now, when nothing was seen', () => {
    const now = at('2', notebook(a, b))
    expect(
      rebase({ cells: [{ id: 'b' }, { index: 0 }], gap: 1, touches: 'structure' }, now, undefined),
    ).toEqual({
      place: { cells: [1, 0], gap: 1 },
      merged: false,
    })
    expect(() => rebase({ cells: [{ index: 2 }], touches: 'source' }, now, undefined)).toThrow(
      /out of range.*\[0, 1\]/,
    )
  })
})

describe('what an edit does not touch may have changed, and what it touches may not', () => {
  const seen = code('x = 1', { id: 'x', execution_count: 1, outputs: [stream('1')] })
  const changes = {
    source: { ...seen, source: 'x = 2' },
    type: markdown('x = 1', { id: 'x' }),
    outputs: { ...seen, outputs: [stream('2')] },
    count: { ...seen, execution_count: 2 },
    metadata: { ...seen, metadata: { tags: ['t'] } },
  }

  test.each([
    ['source', 'source', /source:[\s\S]*-x = 1\n\+x = 2[\s\S]*read_cell/],
    ['source', 'type', /was a code cell and is now a markdown cell[\s\S]*read_cell/],
    ['source', 'outputs', undefined],
    ['source', 'count', undefined],
    ['source', 'metadata', undefined],
    ['outputs', 'source', undefined],
    ['outputs', 'type', /is now a markdown cell/],
    ['outputs', 'outputs', /Beside its source:[\s\S]*-\s+"text": "1"\n\+\s+"text": "2"/],
    ['outputs', 'count', /-\s*"execution_count": 1,\n\+\s*"execution_count": 2/],
    ['outputs', 'metadata', undefined],
    ['structure', 'source', /\+x = 2/],
    ['structure', 'type', /is now a markdown cell/],
    ['structure', 'outputs', /"text": "2"/],
    ['structure', 'count', /"execution_count": 2/],
    ['structure', 'metadata', /\+\s+"tags"/],
  ] as const)('an edit of %s against a change of %s', (touches, change, message) => {
    const where: EditPlace = { cells: [{ index: 1 }], touches }
    const books = [notebook(a, seen), notebook(fresh, a, changes[change])] as const
    if (!message) return expect(place(where, ...books).cells).toEqual([2])
    const error = refusal(where, ...books)
    expect(error.code).toBe('conflict')
    expect(error.message).toMatch(/Cell 1 was changed by somebody else since it was read/)
    expect(error.message).toMatch(message)
  })

  test('a long difference is cut', () => {
    const long = (text: string) => notebook(code(`${text}\n`.repeat(1_000), { id: 'x' }))
    const { message } = refusal({ cells: [{ index: 0 }], touches: 'source' }, long('old'), long('new'))
    expect(message).toMatch(/the rest is left out/)
    expect(message.length).toBeLessThan(2_500)
  })
})

describe('a cell that is gone is a conflict', () => {
  test.each<[string, EditPlace['cells'], Notebook, Notebook, RegExp]>([
    [
      'deleted',
      [{ index: 1 }],
      notebook(a, b, c),
      notebook(a, c),
      /Cell 1 was deleted or changed.*began with: "b"/,
    ],
    ['deleted, by id', [{ id: 'b' }], notebook(a, b, c), notebook(a, c), /Cell 1 was deleted/],
    [
      'replaced by one of the same content, by id',
      [{ id: 'b' }],
      notebook(a, b, c),
      notebook(a, { ...b, id: 'z' }, c),
      /Cell 1 was deleted or changed/,
    ],
    [
      'changed, without ids',
      [{ index: 1 }],
      oldNotebook(bare.a, bare.b, bare.c),
      oldNotebook(bare.a, bare.fresh, bare.c),
      /Another cell stands in its place[\s\S]*-b\n\+new[\s\S]*read_notebook/,
    ],
    [
      'one of two that are equal',
      [{ index: 3 }],
      oldNotebook(bare.a, bare.b, bare.c, bare.b, bare.fresh),
      oldNotebook(bare.a, bare.b, bare.c, bare.fresh),
      /Cell 3 was deleted/,
    ],
    [
      'one of two with the same id',
      [{ index: 3 }],
      notebook(a, b, c, { ...b, source: 'other' }, fresh),
      notebook(a, b, c, fresh),
      /Cell 3 was deleted/,
    ],
    [
      'an empty one that another empty one follows far off',
      [{ index: 1 }],
      oldNotebook(bare.a, bare.empty, bare.b, bare.c),
      oldNotebook(bare.a, bare.b, bare.empty, bare.c),
      /Cell 1 was deleted/,
    ],
  ])('%s', (_what, cells, seen, now, message) => {
    for (const touches of ['source', 'outputs', 'structure'] as const) {
      const error = refusal({ ...(cells && { cells }), touches }, seen, now)
      expect(error.code).toBe('conflict')
      expect(error.message).toMatch(message)
    }
  })

  test('but one that was never there is a mistake of the caller', () => {
    const books = [notebook(a, b), notebook(a, b, c)] as const
    expect(() => place({ cells: [{ index: 2 }], touches: 'source' }, ...books)).toThrow(
      /out of range.*\[0, 1\]/,
    )
    expect(() => place({ cells: [{ id: 'zz' }], touches: 'source' }, ...books)).toThrow(/No cell has the id/)
    expect(() => place({ gap: 3, touches: 'structure' }, ...books)).toThrow(/out of range.*\[-1, 2\]/)
  })
})

describe('a gap', () => {
  test.each([
    ['is before the cell that it was before', notebook(a, b), 1, notebook(fresh, a, b), 2],
    ['stays before it when cells come between', notebook(a, b), 1, notebook(a, fresh, b), 2],
    [
      'is behind the cell that it was behind, when the next is gone',
      notebook(a, b),
      1,
      notebook(a, fresh),
      1,
    ],
    ['is before the next, when the previous is gone', notebook(a, b), 1, notebook(fresh, b), 1],
    ['is at the top, when the first cell is gone', notebook(a, b), 0, notebook(fresh, b), 0],
    ['is before the first cell', notebook(a, b), 0, notebook(fresh, a, b), 1],
    ['is at the end', notebook(a, b), 2, notebook(a, b, fresh), 3],
    ['is at the end for -1', notebook(a, b), -1, notebook(fresh), 1],
    ['is at the end of what was empty', notebook(), 0, notebook(a, b), 2],
    ['is in what became empty', notebook(a, b), 0, notebook(), 0],
  ])('%s', (_what, seen, gap, now, expected) => {
    expect(place({ gap, touches: 'structure' }, seen, now).gap).toBe(expected)
  })

  test.each([
    [
      'both neighbours are gone',
      notebook(a, b, c),
      1,
      notebook(c),
      /index 1.*behind "a" and before "b"[\s\S]*read_notebook/,
    ],
    ['the neighbours have changed sides', notebook(a, b, c), 1, notebook(b, a, c), /index 1/],
  ])('is a conflict when %s', (_what, seen, gap, now, message) => {
    const error = refusal({ gap, touches: 'structure' }, seen, now)
    expect(error.code).toBe('conflict')
    expect(error.message).toMatch(message)
  })
})

test('it is told whether somebody else has changed anything', () => {
  const where: EditPlace = { cells: [{ index: 0 }], touches: 'source' }
  const seen = at('1', notebook(a, b))
  const merged = (now: Notebook, revision = '2') => rebase(where, at(revision, now), seen).merged
  expect(merged(notebook(a, b), '1')).toBe(false)
  expect(merged(notebook(a, { ...b, metadata: { trusted: true } }))).toBe(false)
  expect(merged(notebook(a, { ...b, source: 'B' }))).toBe(true)
  expect(merged(notebook(a, b, c))).toBe(true)
  expect(merged({ ...notebook(a, b), metadata: { title: 't' } })).toBe(true)
})
