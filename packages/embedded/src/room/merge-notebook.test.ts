import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { notebookOf } from '../fixtures/start-embedded.ts'
import { formatNotebook, type Notebook, toNotebook } from '../notebook/nbformat.ts'
import { mergeNotebook } from './merge-notebook.ts'
import { fillDocument, readDocument, sharedNotebookOf } from './shared-notebook.ts'

function documentOf(notebook: Notebook): Y.Doc {
  const doc = new Y.Doc()
  fillDocument(doc, notebook)
  return doc
}

function cell(id: string, source = id) {
  return { ...notebookOf(source).cells[0], id }
}

function notebook(...cells: object[]): Notebook {
  return toNotebook({ ...notebookOf(), cells })
}

function merged(base: Notebook, now: Notebook, next: Notebook): string[] {
  const doc = documentOf(base)
  mergeNotebook(doc, base, now)
  mergeNotebook(doc, base, next)
  return readDocument(doc).cells.map(({ source }) => source)
}

describe('merging by cell', () => {
  const base = notebook(cell('a'), cell('b'), cell('c'))

  test.each([
    [
      'both changed other cells',
      notebook(cell('a', 'A'), cell('b'), cell('c')),
      notebook(cell('a'), cell('b'), cell('c', 'C')),
      ['A', 'b', 'C'],
    ],
    [
      'both added',
      notebook(cell('x'), cell('a'), cell('b'), cell('c')),
      notebook(cell('a'), cell('b'), cell('c'), cell('y')),
      ['x', 'a', 'b', 'c', 'y'],
    ],
    [
      'one deleted what the other left',
      notebook(cell('a'), cell('b'), cell('c')),
      notebook(cell('a'), cell('c')),
      ['a', 'c'],
    ],
    [
      'one deleted what the other edited',
      notebook(cell('a'), cell('b', 'edited'), cell('c')),
      notebook(cell('a'), cell('c')),
      ['a', 'edited', 'c'],
    ],
    [
      'one moved what the other edited',
      notebook(cell('a', 'A'), cell('b'), cell('c')),
      notebook(cell('b'), cell('c'), cell('a')),
      ['b', 'c', 'A'],
    ],
    [
      'deleted here, unchanged there',
      notebook(cell('a'), cell('c')),
      notebook(cell('a'), cell('b'), cell('c', 'C')),
      ['a', 'C'],
    ],
    [
      'both changed one text, at its two ends',
      notebook(cell('a', 'Xa'), cell('b'), cell('c')),
      notebook(cell('a', 'a'), cell('b', 'b'), cell('c')),
      ['Xa', 'b', 'c'],
    ],
  ])('%s', (_name, now, next, expected) => {
    expect(merged(base, now, next)).toEqual(expected)
  })

  test.each([
    ['one two three', 'ONE two three', 'one two THREE', 'ONE two THREE'],
    ['one two three', 'one two THREE', 'ONE two three', 'ONE two THREE'],
    ['same', 'ours', 'theirs', 'theirs'],
    ['a😀b', 'a😀b!', 'a😁b', 'a😁b!'],
    ['', 'typed', '', 'typed'],
  ])('a text %j, changed here to %j and there to %j', (old, now, next, expected) => {
    const three = [old, now, next].map((source) => notebook(cell('a', source)))
    const [first = base, second = base, third = base] = three
    expect(merged(first, second, third)).toEqual([expected])
  })

  test('what is the same is not touched', () => {
    const doc = documentOf(base)
    const before = Y.encodeStateVector(doc)
    mergeNotebook(doc, readDocument(doc), base)
    expect(Y.encodeStateVector(doc)).toEqual(before)
    const [first] = sharedNotebookOf(doc).cells.toArray()
    mergeNotebook(doc, base, notebook(cell('a', 'A'), cell('b'), cell('c'), cell('d')))
    expect(sharedNotebookOf(doc).cells.get(0)).toBe(first)
  })

  test('outputs that go on are appended', () => {
    const output = (text: string) => ({ output_type: 'stream', name: 'stdout', text })
    const one = notebook({ ...cell('a'), outputs: [output('1')] })
    const two = notebook({ ...cell('a'), outputs: [output('1'), output('2')], execution_count: 3 })
    const doc = documentOf(one)
    const shared = sharedNotebookOf(doc).cells.get(0) as Y.Map<Y.Array<unknown>>
    const first = shared.get('outputs')?.get(0)
    mergeNotebook(doc, one, two)
    expect(shared.get('outputs')?.get(0)).toBe(first)
    expect(readDocument(doc)).toEqual(two)
  })

  test('cells without ids, of formats before 4.5, are known by what they hold', () => {
    const old = (...sources: string[]) =>
      toNotebook({
        ...notebookOf(),
        nbformat_minor: 4,
        cells: sources.map((source) => ({ ...cell('x', source), id: undefined })),
      })
    const first = old('a', 'b', 'c')
    const doc = documentOf(first)
    const shared = sharedNotebookOf(doc).cells.toArray()
    mergeNotebook(doc, first, old('a', 'new', 'c'))
    expect(readDocument(doc).cells.map(({ source }) => source)).toEqual(['a', 'new', 'c'])
    expect(sharedNotebookOf(doc).cells.get(0)).toBe(shared[0])
    expect(sharedNotebookOf(doc).cells.get(2)).toBe(shared[2])
    expect(formatNotebook(readDocument(doc))).not.toContain('"id"')
  })

  test('random notebooks: where nothing else changed, the document becomes the other', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const draw = () => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter(() => random(3) > 0)
      const shuffled = ids.map((id) => ({ id, at: random(1_000) })).sort((x, y) => x.at - y.at)
      return notebook(
        ...shuffled.map(({ id }) => ({
          ...cell(id, `${id}${random(3)}`),
          cell_type: random(5) > 0 ? 'code' : 'markdown',
        })),
      )
    }
    for (let round = 0; round < 500; round += 1) {
      const [from, to] = [draw(), draw()]
      const doc = documentOf(from)
      mergeNotebook(doc, readDocument(doc), to)
      expect(formatNotebook(readDocument(doc)), `round ${round}`).toBe(
        formatNotebook(readDocument(documentOf(to))),
      )
    }
  })

  test('garbage in a document is no cell, and never keeps it from being saved', () => {
    const doc = documentOf(base)
    const { cells, meta } = sharedNotebookOf(doc)
    cells.push([7, 'text', { plain: true }, new Y.Map([['cell_type', 'odd']])])
    const odd = new Y.Map<unknown>([
      ['cell_type', 'code'],
      ['id', 'a'],
      ['source', 12n],
      ['outputs', 'none'],
      ['execution_count', 3.7],
    ])
    cells.push([odd])
    meta.set(
      'metadata',
      new Y.Map<unknown>([
        ['big', 12n],
        ['bytes', new Uint8Array(3)],
        ['not', Number.NaN],
      ]),
    )
    const read = readDocument(doc)
    expect(read.cells).toHaveLength(4)
    expect(new Set(read.cells.map(({ id }) => id)).size).toBe(4)
    expect(read.metadata).toEqual({ big: 12, bytes: null, not: null })
    expect(toNotebook(JSON.parse(formatNotebook(read)))).toEqual(read)
  })
})
