import { isDeepStrictEqual } from 'node:util'
import { hasCellIds } from './create-cell.ts'
import { isRecord } from './json.ts'
import type { Cell, Notebook, Output } from './nbformat.ts'

const ID = /^[A-Za-z0-9_-]{1,64}$/

/** What nbformat would not accept about a cell of the draft, in words that go behind a colon. Ids and outputs that were there before stay as they are. */
export function cellFault(cell: Cell, draft: Notebook, before: Notebook): string | undefined {
  const fault = idFault(cell, draft)
  if (fault !== undefined && !before.cells.some(({ id }) => id === cell.id)) return fault
  if (!isRecord(cell.metadata)) return 'its metadata is not an object'
  if (typeof cell.source !== 'string') return 'its source is not text'
  if (!cell.source.isWellFormed()) return 'its source holds half a surrogate pair, which no file can hold'
  if (cell.cell_type !== 'code') return undefined
  if (!isCount(cell.execution_count)) return 'its execution count is not a whole number'
  if (!Array.isArray(cell.outputs)) return 'its outputs are not a list'
  const bad = cell.outputs.find((output) => outputFault(output) !== undefined && !hasOutput(before, output))
  return bad && `its output ${cell.outputs.indexOf(bad)} ${outputFault(bad)}`
}

function idFault({ id }: Cell, draft: Notebook): string | undefined {
  if (!hasCellIds(draft)) return id === undefined ? undefined : 'it has an id, which its format does not know'
  if (id === undefined) return 'it has no id'
  return ID.test(id) ? undefined : 'its id is not made of 1 to 64 letters, digits, "-" and "_"'
}

function outputFault(output: Output): string | undefined {
  switch (output.output_type) {
    case 'stream': {
      const isWhole = typeof output.text === 'string' && typeof output.name === 'string'
      return isWhole ? undefined : 'has no text or name'
    }
    case 'execute_result':
      if (!isCount(output.execution_count)) return 'has an execution count that is not a whole number'
      return bundleFault(output.data, output.metadata)
    case 'display_data':
      return bundleFault(output.data, output.metadata)
    case 'error': {
      const { ename, evalue, traceback } = output
      const isWhole =
        Array.isArray(traceback) && [ename, evalue, ...traceback].every((text) => typeof text === 'string')
      return isWhole ? undefined : 'has no name, value or traceback'
    }
    default:
      return 'is of an unknown kind'
  }
}

function bundleFault(data: unknown, metadata: unknown): string | undefined {
  return isRecord(data) && isRecord(metadata) ? undefined : 'has no data or metadata'
}

function hasOutput({ cells }: Notebook, output: Output): boolean {
  return cells.some(
    (cell) => cell.cell_type === 'code' && cell.outputs.some((other) => isDeepStrictEqual(other, output)),
  )
}

function isCount(value: unknown): boolean {
  return value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0)
}
