import type { ContentBlock } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { cellAt, findCell } from '../document/find-cell.ts'
import { cutText } from '../outputs/cut-text.ts'
import { OutputView } from '../outputs/describe-output.ts'
import { outputsToContent } from '../outputs/to-content.ts'
import { formatNotebookUri, targetOf } from '../resources/notebook-uri.ts'
import { cellSummary, toCellSummary } from './shared/cell-summary.ts'
import { headerLine } from './shared/cell-text.ts'
import { outputPolicy } from './shared/execution-reply.ts'
import { oneCell, orDefault, toCellTarget } from './shared/fields.ts'
import { defineTool } from './tool.ts'

/** What outputs may use of a reply whose source has used it up. */
const LEAST_SHARE = 1 / 4

export const readCell = defineTool({
  name: 'read_cell',
  title: 'Read Cell',
  description:
    'Shows a cell of a notebook: type, execution count, source and the outputs of its last run. Nothing is run. For an overview of many cells take read_notebook.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    ...oneCell,
    include_outputs: orDefault(z.boolean(), true).describe('Show the outputs too.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    cell: cellSummary,
    source: z.string(),
    outputs: z.array(OutputView),
    /** The source or an output is not shown whole. */
    truncated: z.boolean(),
  }),
  async run(input, { view, config, signal }) {
    const target = toCellTarget(input)
    const notebook = view.notebook(input.notebook_name)
    const { name } = notebook
    const snapshot = await notebook.document.read(signal)
    const index = findCell(snapshot.notebook, target)
    view.showCells(notebook, snapshot, [index])
    const cell = cellAt(snapshot.notebook, index)
    const uri = formatNotebookUri({ kind: 'cell', name, cell: targetOf(cell, index) })
    const { text: source } = cutText(
      cell.source,
      config.maxOutputBytes,
      (cut) => `[... ${cut} bytes cut; whole source: ${uri}]`,
    )
    const room = config.maxOutputBytes - Buffer.byteLength(source)
    const outputs = await outputsToContent(
      input.include_outputs && cell.cell_type === 'code' ? cell.outputs : [],
      { ...outputPolicy(config), maxBytes: Math.max(room, config.maxOutputBytes * LEAST_SHARE) },
      (output) => `${uri}/outputs/${output}`,
    )
    const content: ContentBlock[] = [{ type: 'text', text: headerLine(cell, index) }]
    // An empty block is refused by some models.
    if (source !== '') content.push({ type: 'text', text: source })
    return {
      content: [...content, ...outputs.content],
      structured: {
        notebook_name: name,
        cell: toCellSummary(cell, index),
        source,
        outputs: outputs.views,
        truncated: outputs.truncated || source !== cell.source,
      },
    }
  },
})
