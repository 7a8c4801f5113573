import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import type { Seen, Snapshot } from './document.ts'
import type { Cell } from './nbformat.ts'
import { rebase } from './rebase.ts'
import { seeCells, seeEdit, seeList } from './seen.ts'

const code = (id: string, source: string, outputs = ''): Cell => ({
  id,
  cell_type: 'code',
  source,
  metadata: {},
  execution_count: null,
  outputs: outputs ? [{ output_type: 'stream', name: 'stdout', text: outputs }] : [],
})

const snapshot = (revision: string, ...cells: Cell[]): Snapshot => ({
  revision,
  notebook: { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 },
})

const [a, b, c] = [code('a', 'a\na'), code('b', 'b\nb'), code('c', 'c\nc')]
const first = snapshot('1', a, b, c)
/** A person has changed the last cell. */
const changed = snapshot('2', a, b, code('c', "the person's"))

const overwrite = (index: number, now: Snapshot, seen: Seen) =>
  rebase({ cells: [{ index }], touches: 'source' }, now, seen).place.cells

describe('what a client has not been shown stays as it knew it', () => {
  test.each([
    ['another cell was read', seeCells(first, changed, [0])],
    ['the cells were listed by their first lines', seeList(first, changed, [])],
    [
      'another cell was edited',
      seeEdit(first, {
        before: changed,
        snapshot: snapshot('3', code('a', 'mine'), b, code('c', "the person's")),
      }).seen,
    ],
    [
      'another cell was run',
      seeEdit(first, {
        before: changed,
        snapshot: snapshot('3', code('a', 'a\na', 'ran'), b, code('c', "the person's")),
      }).seen,
    ],
    [
      'a cell was put in front',
      seeEdit(first, {
        before: changed,
        snapshot: snapshot('3', a, code('new', 'x'), b, code('c', "the person's")),
      }).seen,
    ],
  ])('when %s, an edit of the changed one is refused', (_what, seen) => {
    verifies('NB-FILE-2')
    const now = {
      ...changed,
      notebook: {
        ...changed.notebook,
        cells: seen.notebook.cells.map((cell) => (cell.id === 'c' ? code('c', "the person's") : cell)),
      },
    }
    const index = seen.notebook.cells.findIndex(({ id }) => id === 'c')
    expect(() => overwrite(index, now, seen)).toThrow(/Cell \d was changed by somebody else.*the person's/s)
  })

  test('and is known once it was read', () => {
    const seen = seeCells(first, changed, [2])
    expect(overwrite(2, changed, seen)).toEqual([2])
    expect(seen.revision).toBe('2')
  })

  test('a run of a cell whose source somebody has changed meanwhile does not show that source', () => {
    const edited = code('c', "the person's", 'ran')
    const { seen, isNews } = seeEdit(first, { before: changed, snapshot: snapshot('3', a, b, edited) })
    expect(isNews).toBe(true)
    expect(seen.notebook.cells[2]).toMatchObject({ source: 'c\nc', outputs: [{ text: 'ran' }] })
  })

  test('while nobody else does anything, the whole is known', () => {
    const after = snapshot('2', code('a', 'mine'), b, c)
    const { seen, isNews } = seeEdit(first, { before: first, snapshot: after })
    expect([seen, isNews]).toEqual([after, false])
  })
})

describe('indices', () => {
  const shifted = snapshot('2', code('new', "the person's"), a, b, c)

  test.each([
    ['another cell was read', seeCells(first, shifted, [1])],
    ['something was searched', seeCells(first, shifted, [])],
    [
      'an edit was merged',
      seeEdit(first, {
        before: shifted,
        snapshot: snapshot('3', code('new', "the person's"), code('a', 'mine'), b, c),
      }).seen,
    ],
  ])('are refused when %s after others had moved cells, until the cells are listed', (_what, seen) => {
    verifies('NB-FILE-2')
    expect(() => overwrite(2, shifted, seen)).toThrow(
      /index 2 may mean another cell now.*read_notebook.*cell_id/s,
    )
    expect(() => rebase({ gap: 2, touches: 'structure' }, shifted, seen)).toThrow(/index 2 may mean another/)
    expect(rebase({ gap: -1, touches: 'structure' }, shifted, seen).place.gap).toBe(4)
    expect(rebase({ gap: 0, touches: 'structure' }, shifted, seen).place.gap).toBe(0)
    expect(rebase({ cells: [{ id: 'b' }], touches: 'source' }, shifted, seen).place.cells).toEqual([2])
    const listed = seeList(seen, shifted, [])
    expect(overwrite(2, shifted, listed)).toEqual([2])
  })

  test('stay good after own edits', () => {
    const inserted = snapshot('2', a, code('mine', 'x'), b, c)
    const { seen } = seeEdit(first, { before: first, snapshot: inserted })
    expect(overwrite(2, inserted, seen)).toEqual([2])
  })

  test('stay good when two edits of one client ran at the same time', () => {
    const one = snapshot('2', code('mine', 'x'), a, b, c)
    const two = snapshot('3', code('mine', 'x'), a, b, code('c', 'mine too'))
    const { seen } = seeEdit(first, { before: first, snapshot: one })
    const { seen: last, isNews } = seeEdit(seen, { before: one, snapshot: two })
    expect([isNews, last.indicesAreStale ?? false]).toEqual([false, false])
    expect(last.revision).toBe('3')
  })
})
