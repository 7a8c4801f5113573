import { ToolError } from '../tool-error.ts'

const PART = /^(\d{1,9})(?:(-)(\d{1,9})?)?$/

/** Reads `0,1,2`, `0-2`, `0-2,4` and `3-` (to the end) as a sorted list without repetitions. */
export function parseCellIndices(text: string, total: number): number[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length === 0) throw refusal('No cell indices are given.')
  if (total === 0) throw refusal('The notebook is empty: there is no cell to cite.')
  const indices = new Set<number>()
  for (const part of parts) {
    const [first, last] = parseRange(part, total)
    for (let index = first; index <= last; index += 1) indices.add(index)
  }
  return [...indices].sort((a, b) => a - b)
}

function parseRange(part: string, total: number): readonly [number, number] {
  const [, from, dash, to] = PART.exec(part) ?? []
  if (from === undefined) {
    throw refusal(
      part.startsWith('-')
        ? `'${part}' is negative: cells are counted from 0.`
        : `'${part}' is neither a cell index nor a range of them.`,
    )
  }
  const first = Number(from)
  const last = dash === undefined ? first : to === undefined ? total - 1 : Number(to)
  if (first >= total || last >= total) {
    throw refusal(`'${part}' is out of range: the notebook has ${total} cells, 0 to ${total - 1}.`)
  }
  if (last < first) throw refusal(`The range '${part}' ends before it begins.`)
  return [first, last]
}

function refusal(reason: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `${reason} Write cell_indices as 0,1,2 or 0-2 or 0-2,4 or 3- (to the end).`,
  )
}
