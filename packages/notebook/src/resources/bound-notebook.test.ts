import { describe, expect, test } from 'vitest'
import type { Cell, Notebook } from '../document/nbformat.ts'
import { boundNotebook } from './bound-notebook.ts'

function notebook(...cells: Cell[]): Notebook {
  return { cells, metadata: { kernelspec: { name: 'python3' } }, nbformat: 4, nbformat_minor: 5 }
}

function code(id: string, source: string, ...texts: string[]): Cell {
  const outputs = texts.map((text) => ({ output_type: 'stream' as const, name: 'stdout' as const, text }))
  return { id, cell_type: 'code', source, metadata: {}, execution_count: 1, outputs }
}

const linkTo = (cell: Cell) => `notebook://n/cells/${cell.id}`

describe('a notebook as a resource', () => {
  test('is whole while it fits', () => {
    const small = notebook(code('a', 'print(1)', '1\n'))
    expect(JSON.parse(boundNotebook(small, 10_000, linkTo))).toEqual(small)
  })

  test('keeps sources and small outputs, and says where the large ones are', () => {
    const large = notebook(code('a', 'print(1)', 'x'.repeat(5000), 'small'), code('b', 'y = 2', 'last'))
    const text = boundNotebook(large, 2000, linkTo)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000)
    const [first, second] = (JSON.parse(text) as Notebook).cells
    expect(first).toMatchObject({ source: 'print(1)', outputs: [{}, { text: 'small' }] })
    expect(JSON.stringify(first)).toContain('notebook://n/cells/a/outputs/0')
    expect(second).toEqual(large.cells[1])
  })

  test('is refused when its sources alone are too large', () => {
    expect(() => boundNotebook(notebook(code('a', 'é'.repeat(2000))), 3000, linkTo)).toThrow('one by one')
  })
})
