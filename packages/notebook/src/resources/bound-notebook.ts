import type { Cell, Notebook, Output } from '../document/nbformat.ts'
import { ToolError } from '../tool-error.ts'

/** The notebook as JSON. Outputs that would make it too large are replaced, each with a line that says where it can be read. */
export function boundNotebook(
  notebook: Notebook,
  maxBytes: number,
  linkTo: (cell: Cell, index: number) => string,
): string {
  const whole = JSON.stringify(notebook)
  if (Buffer.byteLength(whole) <= maxBytes) return whole
  const bare = { ...notebook, cells: notebook.cells.map((cell) => withOutputs(cell, [])) }
  let room = maxBytes - Buffer.byteLength(JSON.stringify(bare))
  const cells = notebook.cells.map((cell, index) => {
    if (cell.cell_type !== 'code') return cell
    return withOutputs(
      cell,
      cell.outputs.map((output, position) => {
        const bytes = Buffer.byteLength(JSON.stringify(output)) + 1
        const kept = bytes <= room ? output : placeholder(bytes, `${linkTo(cell, index)}/outputs/${position}`)
        room -= kept === output ? bytes : Buffer.byteLength(JSON.stringify(kept)) + 1
        return kept
      }),
    )
  })
  if (room >= 0) return JSON.stringify({ ...notebook, cells })
  throw new ToolError(
    'invalid_argument',
    `This notebook has more than ${maxBytes} bytes even without its outputs. Read its cells one by one, with read_notebook or as resources.`,
  )
}

function withOutputs(cell: Cell, outputs: Output[]): Cell {
  return cell.cell_type === 'code' ? { ...cell, outputs } : cell
}

function placeholder(bytes: number, uri: string): Output {
  return {
    output_type: 'stream',
    name: 'stderr',
    text: `[An output of ${bytes} bytes is left out, because the notebook would be too large. It can be read at ${uri}]\n`,
  }
}
