import type { ReadResourceResult } from '@modelcontextprotocol/server'
import type { CellTarget } from '../document/cell-target.ts'
import { cellAt, findCell } from '../document/find-cell.ts'
import type { Cell, Output } from '../document/nbformat.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolContext } from '../tools/tool-context.ts'
import { boundNotebook } from './bound-notebook.ts'
import { formatNotebookUri, type NotebookUri, parseNotebookUri, targetOf } from './notebook-uri.ts'
import { outputContents } from './output-contents.ts'
import { readFile } from './read-file.ts'
import { NOTEBOOK_TYPE } from './resource-templates.ts'

export type ResourceContext = Pick<ToolContext, 'view' | 'servers' | 'fence' | 'keptOutputs' | 'signal'>

type Contents = ReadResourceResult['contents']

const MOST_BYTES = 10 * 1024 * 1024

/** The resource at an address, whole, or a `ToolError`. */
export async function readResource(uri: string, context: ResourceContext): Promise<ReadResourceResult> {
  const parsed = parseNotebookUri(uri)
  if (!parsed) {
    throw new ToolError(
      'not_found',
      `There is no resource ${JSON.stringify(uri.slice(0, 200))}. Look at the resource templates for addresses that can be read.`,
    )
  }
  return { contents: await read(uri, parsed, context) }
}

async function read(uri: string, parsed: NotebookUri, context: ResourceContext): Promise<Contents> {
  switch (parsed.kind) {
    case 'notebook':
      return readNotebook(uri, parsed.name, context)
    case 'cell':
      return readSource(uri, await readCell(parsed.name, parsed.cell, context))
    case 'output': {
      const cell = await readCell(parsed.name, parsed.cell, context)
      const outputs = cell.cell_type === 'code' ? cell.outputs : []
      return outputContents(uri, outputAt(outputs, parsed.output), MOST_BYTES)
    }
    case 'kept':
      return outputContents(uri, outputAt(findKept(parsed.id, context), parsed.output), MOST_BYTES)
    case 'file':
      return readFile(uri, parsed.path, context)
    case 'kernel':
      return readKernel(uri, parsed.id, context)
  }
}

async function readNotebook(uri: string, name: string, { view, signal }: ResourceContext): Promise<Contents> {
  const { notebook } = await view.notebook(name).document.read(signal)
  const linkTo = (cell: Cell, index: number) =>
    formatNotebookUri({ kind: 'cell', name, cell: targetOf(cell, index) })
  return [{ uri, mimeType: NOTEBOOK_TYPE, text: boundNotebook(notebook, MOST_BYTES, linkTo) }]
}

async function readCell(name: string, target: CellTarget, { view, signal }: ResourceContext): Promise<Cell> {
  const { notebook } = await view.notebook(name).document.read(signal)
  return cellAt(notebook, findCell(notebook, target))
}

const SOURCE_TYPES = { code: 'text/x-python', markdown: 'text/markdown', raw: 'text/plain' } as const

function readSource(uri: string, { cell_type, source }: Cell): Contents {
  const bytes = Buffer.byteLength(source)
  if (bytes > MOST_BYTES) {
    throw new ToolError(
      'invalid_argument',
      `The source of this cell has ${bytes} bytes, and at most ${MOST_BYTES} can be read. Open the notebook in Jupyter.`,
    )
  }
  return [{ uri, mimeType: SOURCE_TYPES[cell_type], text: source }]
}

function findKept(id: string, { keptOutputs, view }: ResourceContext): readonly Output[] {
  const kept = keptOutputs.find(view.workspace.owner, id)
  if (kept) return kept
  throw new ToolError(
    'not_found',
    'This output is no longer kept: the newest outputs of execute_code are kept, and older ones make room. Execute the code again.',
  )
}

function outputAt(outputs: readonly Output[], index: number): Output {
  const output = outputs[index]
  if (output) return output
  throw new ToolError('not_found', `There is no output ${index}: there are ${outputs.length} output(s).`)
}

async function readKernel(uri: string, id: string, { servers, signal }: ResourceContext): Promise<Contents> {
  const kernel = await servers.kernels.get(id, signal)
  const model = {
    id: kernel.id,
    name: kernel.name,
    execution_state: kernel.executionState,
    connections: kernel.connections,
    last_activity: kernel.lastActivity === '' ? null : kernel.lastActivity,
  }
  return [{ uri, mimeType: 'application/json', text: JSON.stringify(model, null, 2) }]
}
