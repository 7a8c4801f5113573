import type { Cell } from '../../document/nbformat.ts'
import { cutText } from '../../outputs/cut-text.ts'
import type { OutputView } from '../../outputs/describe-output.ts'
import { DEFAULT_OUTPUT_POLICY } from '../../outputs/output-policy.ts'
import { outputsToContent } from '../../outputs/to-content.ts'
import { formatNotebookUri, targetOf } from '../../resources/notebook-uri.ts'
import { toCellSummary } from './cell-summary.ts'
import { type CellRange, headerLine } from './cell-text.ts'

export interface DetailOptions {
  readonly notebookName: string
  /** Of all the text together. */
  readonly maxBytes: number
  readonly includeOutputs: boolean
}

export interface DetailedCell extends ReturnType<typeof toCellSummary> {
  readonly source: string
  readonly outputs?: OutputView[]
}

export interface DetailedCells {
  readonly text: string
  readonly cells: DetailedCell[]
  /** The first cell that had no room any more. */
  readonly next: number | null
}

/** Whole cells while there is room. One that does not fit even alone is cut. */
export async function detailCells(
  cells: readonly Cell[],
  { start, end }: CellRange,
  options: DetailOptions,
): Promise<DetailedCells> {
  const texts: string[] = []
  const detailed: DetailedCell[] = []
  let room = options.maxBytes
  for (const [offset, cell] of cells.slice(start, end).entries()) {
    const index = start + offset
    const { text, summary } = await detailCell(cell, index, options)
    room -= Buffer.byteLength(text)
    if (room < 0 && offset > 0) {
      const marker = `[... cells ${index} to ${end - 1} are not shown: a reply holds at most ${options.maxBytes} bytes. Read on with start_index ${index}.]`
      return { text: [...texts, marker].join('\n'), cells: detailed, next: index }
    }
    texts.push(text)
    detailed.push(summary)
  }
  return { text: texts.join('\n'), cells: detailed, next: null }
}

async function detailCell(
  cell: Cell,
  index: number,
  { notebookName, maxBytes, includeOutputs }: DetailOptions,
): Promise<{ readonly text: string; readonly summary: DetailedCell }> {
  const uri = formatNotebookUri({ kind: 'cell', name: notebookName, cell: targetOf(cell, index) })
  const { text: source } = cutText(
    cell.source,
    maxBytes / 2,
    (cut) => `[... ${cut} bytes cut; whole source: ${uri}]`,
  )
  const head = `${headerLine(cell, index)}\n${source}\n`
  const summary = { ...toCellSummary(cell, index), source }
  if (!includeOutputs || cell.cell_type !== 'code') return { text: head, summary }
  const outputs = await outputsToContent(
    cell.outputs,
    { ...DEFAULT_OUTPUT_POLICY, maxBytes: maxBytes / 2, images: false },
    (output) => `${uri}/outputs/${output}`,
  )
  const shown = outputs.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const text = shown.length > 0 ? `${head}-----Outputs-----\n${shown.join('\n')}\n` : head
  return { text, summary: { ...summary, outputs: outputs.views } }
}
