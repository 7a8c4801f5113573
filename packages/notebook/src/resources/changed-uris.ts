import { isDeepStrictEqual } from 'node:util'
import type { Snapshot } from '../document/document.ts'
import type { Cell, Notebook, Output } from '../document/nbformat.ts'
import { formatNotebookUri, targetOf } from './notebook-uri.ts'

/** The resources of a notebook that read differently now, those included that are gone. */
export function changedUris(name: string, before: Snapshot, after: Snapshot): string[] {
  if (before.revision === after.revision) return []
  const old = byTarget(name, before.notebook)
  const now = byTarget(name, after.notebook)
  const changed = [...new Set([...old.keys(), ...now.keys()])].flatMap((uri) =>
    changesOfCell(uri, old.get(uri), now.get(uri)),
  )
  return [formatNotebookUri({ kind: 'notebook', name }), ...changed]
}

function changesOfCell(uri: string, before: Cell | undefined, after: Cell | undefined): string[] {
  if (before === after) return []
  const outputs = [outputsOf(before), outputsOf(after)] as const
  const count = Math.max(outputs[0].length, outputs[1].length)
  const changed = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !isDeepStrictEqual(outputs[0][index], outputs[1][index]),
  )
  const isSame = before?.source === after?.source && before?.cell_type === after?.cell_type
  return [...(isSame ? [] : [uri]), ...changed.map((index) => `${uri}/outputs/${index}`)]
}

function outputsOf(cell: Cell | undefined): readonly Output[] {
  return cell?.cell_type === 'code' ? cell.outputs : []
}

function byTarget(name: string, { cells }: Notebook): ReadonlyMap<string, Cell> {
  return new Map(
    cells.map((cell, index) => [
      formatNotebookUri({ kind: 'cell', name, cell: targetOf(cell, index) }),
      cell,
    ]),
  )
}
