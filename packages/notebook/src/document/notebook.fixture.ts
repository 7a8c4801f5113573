import type { CodeCell, Notebook, Output, TextCell } from './nbformat.ts'

export function code(source: string, rest: Partial<CodeCell> = {}): CodeCell {
  return { cell_type: 'code', source, metadata: {}, execution_count: null, outputs: [], ...rest }
}

export function markdown(source: string, rest: Partial<TextCell> = {}): TextCell {
  return { cell_type: 'markdown', source, metadata: {}, ...rest }
}

export function raw(source: string, rest: Partial<TextCell> = {}): TextCell {
  return { cell_type: 'raw', source, metadata: {}, ...rest }
}

/** Format 4.5; cells without an id are given `c0`, `c1` and so on by their position. */
export function notebook(...cells: Notebook['cells']): Notebook {
  return {
    cells: cells.map((cell, index) => ({ id: `c${index}`, ...cell })),
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  }
}

/** Format 4.2, which has no ids. */
export function oldNotebook(...cells: Notebook['cells']): Notebook {
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: 2 }
}

export function stream(text: string): Output {
  return { output_type: 'stream', name: 'stdout', text }
}

export function sources({ cells }: Notebook): string[] {
  return cells.map((cell) => cell.source)
}
