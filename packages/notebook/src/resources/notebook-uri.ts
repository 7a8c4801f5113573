import type { CellTarget } from '../document/cell-target.ts'
import type { Cell } from '../document/nbformat.ts'

/** What an address of ours points at. Names, ids and paths are plain here and percent-encoded in the address. */
export type NotebookUri =
  | { readonly kind: 'notebook'; readonly name: string }
  | { readonly kind: 'cell'; readonly name: string; readonly cell: CellTarget }
  | { readonly kind: 'output'; readonly name: string; readonly cell: CellTarget; readonly output: number }
  | { readonly kind: 'kept'; readonly id: string; readonly output: number }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'kernel'; readonly id: string }

export function formatNotebookUri(uri: NotebookUri): string {
  switch (uri.kind) {
    case 'notebook':
      return `notebook://${encode(uri.name)}`
    case 'cell':
      return `notebook://${encode(uri.name)}/cells/${formatCell(uri.cell)}`
    case 'output':
      return `notebook://${encode(uri.name)}/cells/${formatCell(uri.cell)}/outputs/${uri.output}`
    case 'kept':
      return `notebook-output://${encode(uri.id)}/${uri.output}`
    case 'file':
      return `jupyter://files/${uri.path.split('/').map(encode).join('/')}`
    case 'kernel':
      return `jupyter://kernels/${encode(uri.id)}`
  }
}

/** Undefined for an address that is none of ours, or that is not well formed. */
export function parseNotebookUri(text: string): NotebookUri | undefined {
  const [, scheme, rest] = /^([a-z-]+):\/\/(.*)$/s.exec(text) ?? []
  if (scheme === undefined || rest === undefined || rest.length > LONGEST) return undefined
  const parts = decodeAll(rest.split('/'))
  if (!parts) return undefined
  const [first = '', second = '', third = '', fourth, fifth = ''] = parts
  if (scheme === 'jupyter' && first === 'files') return { kind: 'file', path: parts.slice(1).join('/') }
  if (first === '') return undefined
  if (scheme === 'jupyter' && first === 'kernels' && second !== '' && parts.length === 2) {
    return { kind: 'kernel', id: second }
  }
  if (scheme === 'notebook-output' && parts.length === 2) {
    const output = parseIndex(second)
    return output === undefined ? undefined : { kind: 'kept', id: first, output }
  }
  if (scheme !== 'notebook') return undefined
  if (parts.length === 1) return { kind: 'notebook', name: first }
  // The raw segment tells the index `@3` from an id that happens to be `@3`, which is written `%403`.
  const cell = second === 'cells' ? parseCell(third, rest.split('/')[2] ?? '') : undefined
  if (!cell) return undefined
  if (parts.length === 3) return { kind: 'cell', name: first, cell }
  const output = parts.length === 5 && fourth === 'outputs' ? parseIndex(fifth) : undefined
  return output === undefined ? undefined : { kind: 'output', name: first, cell, output }
}

/** A cell is named by its id, or by its index where it has none. */
export function targetOf(cell: Cell, index: number): CellTarget {
  return cell.id === undefined ? { index } : { id: cell.id }
}

const LONGEST = 8192

function parseCell(decoded: string, raw: string): CellTarget | undefined {
  if (!raw.startsWith('@')) return decoded === '' ? undefined : { id: decoded }
  const index = parseIndex(decoded.slice(1))
  return index === undefined ? undefined : { index }
}

function formatCell(cell: CellTarget): string {
  return 'id' in cell ? encode(cell.id) : `@${cell.index}`
}

function parseIndex(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function decodeAll(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map((segment) => decodeURIComponent(segment))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
