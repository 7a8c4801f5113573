import { z } from 'zod'
import { insertCell } from '../document/edit-cells.ts'
import { ToolError } from '../tool-error.ts'
import { type CellRun, runCell } from './shared/execution-cell.ts'
import { cellExecution, toCellReply } from './shared/execution-cell-reply.ts'
import { progressInterval, stream, timeout, toTimeoutSeconds } from './shared/execution-fields.ts'
import { reportSeconds } from './shared/execution-run.ts'
import { newCell, notebookName, toGap } from './shared/fields.ts'
import { defineTool } from './tool.ts'

export const insertExecuteCodeCell = defineTool({
  name: 'insert_execute_code_cell',
  title: 'Insert and Execute Code Cell',
  description:
    'Inserts a code cell into a notebook, executes exactly that cell and returns its outputs, which are written into it too. The cell stays when the execution fails. For code that should leave no trace in the notebook take execute_code.',
  scope: 'code:execute',
  furtherScopes: () => ['notebooks:write'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    ...newCell,
    cell_source: z.string().describe('Source of the new cell.'),
    timeout,
    stream,
    progress_interval: progressInterval,
    notebook_name: notebookName,
  }),
  output: cellExecution,
  async run(input, context) {
    const { view, signal, config, author } = context
    const notebook = view.notebook(input.notebook_name)
    const timeoutSeconds = toTimeoutSeconds(input.timeout, config)
    const edited = await notebook.document.edit(
      { ...toGap(input), touches: 'structure' },
      (draft, place) => insertCell(draft, place.cells[0] ?? place.gap, 'code', input.cell_source),
      { seen: view.seen(notebook), signal, author },
    )
    const merged = view.showEdit(notebook, edited)
    const { index, cell } = edited.result
    const id = cell.id === undefined ? '' : `, id '${cell.id}'`
    let run: CellRun
    try {
      run = await runCell(context, {
        notebook,
        target: { index },
        seen: edited.snapshot,
        timeoutSeconds,
        progressInterval: input.progress_interval,
        report: reportSeconds(context, timeoutSeconds),
      })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const text = `The cell was inserted and stays at index ${index}${id}; executing it failed. ${error.message}`
      throw new ToolError(error.code, text, { cause: error })
    }
    const told = {
      ...run,
      merged: merged || run.merged,
      notes: [...run.notes, `[Inserted as cell ${run.index}${id}]`],
    }
    return toCellReply(context, notebook.name, told, { stream: input.stream, timeoutSeconds })
  },
})
