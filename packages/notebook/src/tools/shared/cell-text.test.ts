import { describe, expect, test } from 'vitest'
import type { Cell } from '../../document/nbformat.ts'
import { aroundInserted, aroundMoved, briefTable, headerLine } from './cell-text.ts'

function code(source: string, execution_count: number | null, id?: string): Cell {
  return { cell_type: 'code', source, metadata: {}, outputs: [], execution_count, ...(id ? { id } : {}) }
}

function markdown(source: string, id?: string): Cell {
  return { cell_type: 'markdown', source, metadata: {}, ...(id ? { id } : {}) }
}

describe('the header line of a cell', () => {
  test('names index, type and count', () => {
    expect(headerLine(code('x', 7), 3)).toBe('=====Cell 3 | type: code | execution count: 7=====')
    expect(headerLine(markdown('x'), 0)).toBe('=====Cell 0 | type: markdown | execution count: N/A=====')
  })
})

describe('the brief table', () => {
  test('has a row for each cell, and ids last', () => {
    const cells = [markdown('# Title\n\ntext', 'a1'), code('x = 1', 2, 'b2'), code('', 0, 'c3')]
    expect(briefTable(cells, { start: 0, end: 3 }).split('\n')).toEqual([
      'Index\tType\tCount\tFirst Line\tId',
      '0\tmarkdown\tN/A\t# Title...(2 lines hidden)\ta1',
      '1\tcode\t2\tx = 1\tb2',
      '2\tcode\tN/A\t\tc3',
    ])
  })

  test('has no column of ids where there are none', () => {
    expect(briefTable([code('a\tb', null)], { start: 0, end: 1 })).toBe(
      'Index\tType\tCount\tFirst Line\n0\tcode\tN/A\ta b',
    )
  })

  test('counts from where it starts, and cuts lines that are too long', () => {
    const table = briefTable([markdown('first'), markdown('x'.repeat(5000))], { start: 1, end: 2 })
    expect(table.split('\n')[1]).toBe(`1\tmarkdown\tN/A\t${'x'.repeat(200)}…`)
  })

  test('says that there is nothing to show', () => {
    expect(briefTable([], { start: 0, end: 20 })).toBe('Notebook is empty')
    expect(briefTable([markdown('x')], { start: 5, end: 9 })).toBe('No cells in the specified range')
  })
})

describe('the surroundings', () => {
  test.each([
    [0, 1, 0, 1],
    [0, 30, 0, 10],
    [10, 30, 5, 15],
    [24, 30, 19, 29],
    [25, 30, 20, 30],
    [29, 30, 20, 30],
    [5, 8, 0, 8],
  ])('of the cell inserted at %i of %i are %i to %i', (index, total, start, end) => {
    expect(aroundInserted(index, total)).toEqual({ start, end })
  })

  test.each([
    [0, 30, 0, 7],
    [10, 30, 7, 14],
    [29, 30, 26, 30],
  ])('of the cell moved to %i of %i are %i to %i', (index, total, start, end) => {
    expect(aroundMoved(index, total)).toEqual({ start, end })
  })
})
