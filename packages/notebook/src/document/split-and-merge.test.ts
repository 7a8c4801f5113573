import { describe, expect, test } from 'vitest'
import { mergeCells } from './merge-cells.ts'
import { code, markdown, notebook, oldNotebook, raw, sources, stream } from './notebook.fixture.ts'
import { splitCell } from './split-cell.ts'

describe('splitting', () => {
  test.each([
    ['a\nb\nc', { afterLine: 1 }, 'a', 'b\nc'],
    ['a\nb\nc', { afterLine: 2 }, 'a\nb', 'c'],
    ['a\n\nb', { afterLine: 1 }, 'a', '\nb'],
    ['a\n', { afterLine: 1 }, 'a', ''],
    ['abc', { offset: 1 }, 'a', 'bc'],
    ['a\nb', { offset: 1 }, 'a', 'b'],
    ['a\nb', { offset: 2 }, 'a', 'b'],
    ['a\n\nb', { offset: 2 }, 'a', '\nb'],
    ['x🎻y', { offset: 3 }, 'x🎻', 'y'],
  ])('%j at %j', (source, at, first, second) => {
    const draft = notebook(code('before'), code(source), code('behind'))
    splitCell(draft, 1, at)
    expect(sources(draft)).toEqual(['before', first, second, 'behind'])
  })

  test.each([
    ['a\nb', { afterLine: 0 }, /Line 0 is out of range.*\[1, 1\]/],
    ['a\nb', { afterLine: 2 }, /Line 2 is out of range.*\[1, 1\]/],
    ['a\nb', { afterLine: 1.5 }, /out of range/],
    ['a', { afterLine: 1 }, /has 1 line\(s\), so it cannot be split/],
    ['', { offset: 0 }, /has 0 character\(s\), so it cannot be split/],
    ['abc', { offset: 0 }, /Offset 0 is out of range.*\[1, 2\]/],
    ['abc', { offset: 3 }, /Offset 3 is out of range.*\[1, 2\]/],
    ['abc', { offset: -1 }, /out of range/],
    ['abc', { offset: Number.NaN }, /out of range/],
    ['x🎻y', { offset: 2 }, /inside a character/],
  ])('%j at %j is refused', (source, at, message) => {
    const draft = notebook(code(source))
    expect(() => splitCell(draft, 0, at)).toThrow(message)
    expect(draft).toEqual(notebook(code(source)))
  })

  test('leaves id and metadata to the first part, and the outputs to neither', () => {
    const metadata = { tags: ['parameters'] }
    const draft = notebook(code('a\nb', { metadata, execution_count: 3, outputs: [stream('x')] }))
    expect(splitCell(draft, 0, { afterLine: 1 }).removedOutputs).toBe(1)
    expect(draft.cells).toEqual([
      code('a', { id: 'c0', metadata }),
      code('b', { id: expect.stringMatching(/^[0-9a-f]{8}$/) }),
    ])
  })

  test('gives the attachments to both parts, each its own', () => {
    const attachments = { 'a.png': { 'image/png': 'AA' } }
    const draft = oldNotebook(markdown('a\nb', { attachments }))
    splitCell(draft, 0, { afterLine: 1 })
    expect(draft).toEqual(oldNotebook(markdown('a', { attachments }), markdown('b', { attachments })))
    expect(Object.is(...attachmentsOf(draft.cells))).toBe(false)
  })
})

function attachmentsOf(cells: readonly object[]): [unknown, unknown] {
  const [first, second] = cells.map((cell) => ('attachments' in cell ? cell.attachments : undefined))
  return [first, second]
}

describe('merging', () => {
  test.each([
    ['code', notebook(code('a'), code('b'), code('c')), [0, 1], 'a\nb'],
    ['code in another order', notebook(code('a'), code('b'), code('c')), [2, 0, 1], 'a\nb\nc'],
    ['markdown', notebook(markdown('a'), markdown('b')), [0, 1], 'a\n\nb'],
    ['raw', notebook(raw('a'), raw('')), [0, 1], 'a\n'],
  ])('%s', (_what, draft, indices, merged) => {
    const before = draft.cells.length
    const first = draft.cells[0]
    expect(mergeCells(draft, indices)).toMatchObject({ index: 0, cell: { id: 'c0', source: merged } })
    expect(draft.cells).toHaveLength(before - indices.length + 1)
    expect(draft.cells[0]).toBe(first)
  })

  test('clears the outputs of code', () => {
    const ran = { execution_count: 1, outputs: [stream('x')] }
    const draft = notebook(code('a', ran), code('b', ran))
    expect(mergeCells(draft, [0, 1]).removedOutputs).toBe(2)
    expect(draft).toEqual(notebook(code('a\nb')))
  })

  test('brings attachments together', () => {
    const a = { 'a.png': { 'image/png': 'AA' } }
    const b = { 'b.png': { 'image/png': 'BB' } }
    const draft = notebook(
      markdown('1', { attachments: a }),
      markdown('2'),
      markdown('3', { attachments: { ...a, ...b } }),
    )
    mergeCells(draft, [0, 1, 2])
    expect(draft).toEqual(notebook(markdown('1\n\n2\n\n3', { attachments: { ...a, ...b } })))
  })

  const picture = (data: string) => ({ attachments: { 'a.png': { 'image/png': data } } })
  test.each([
    ['one cell', notebook(code('a'), code('b')), [0], /At least two cells/],
    ['no cell', notebook(code('a')), [], /At least two cells/],
    ['a cell twice', notebook(code('a'), code('b')), [0, 0], /duplicate/],
    ['a cell that is not there', notebook(code('a'), code('b')), [1, 2], /out of range/],
    ['cells apart', notebook(code('a'), code('b'), code('c')), [0, 2], /not neighbours/],
    ['cells of two types', notebook(code('a'), markdown('b')), [0, 1], /one type.*code and markdown/],
    [
      'different pictures of one name',
      notebook(markdown('a', picture('AA')), markdown('b', picture('BB'))),
      [0, 1],
      /different attachments of the name "a\.png"/,
    ],
  ])('%s is refused', (_what, draft, indices, message) => {
    const before = structuredClone(draft)
    expect(() => mergeCells(draft, indices)).toThrow(message)
    expect(draft).toEqual(before)
  })
})
