import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import { ToolError } from '../tool-error.ts'
import { headerLine } from '../tools/shared/cell-text.ts'
import type { ToolContext } from '../tools/tool-context.ts'
import { parseCellIndices } from './cell-indices.ts'

export type PromptContext = Pick<ToolContext, 'view' | 'signal'>

export interface CitePrompt {
  readonly definition: Prompt
  get(values: Readonly<Record<string, string>> | undefined, context: PromptContext): Promise<GetPromptResult>
}

const MOST_CITED_CHARACTERS = 1024 * 1024

export const citePrompt: CitePrompt = Object.freeze({
  definition: {
    name: 'jupyter_cite',
    title: 'Cite Cells',
    description: 'Puts cells of a notebook in use before a request, so that the request can be about them.',
    arguments: [
      { name: 'prompt', description: 'What you ask about the cells.', required: true },
      {
        name: 'cell_indices',
        description: 'Which cells, counted from 0: 0,1,2 or 0-2 or 0-2,4 or 3- (to the end).',
        required: true,
      },
      {
        name: 'notebook_name',
        description: 'The name under which the notebook is in use; the current notebook when left out.',
        required: false,
      },
    ],
  },

  async get(values: Readonly<Record<string, string>> | undefined, { view, signal }: PromptContext) {
    const prompt = needed(values, 'prompt')
    const wanted = needed(values, 'cell_indices')
    const notebook = view.notebook(values?.notebook_name || undefined)
    const snapshot = await notebook.document.read(signal)
    const { cells } = snapshot.notebook
    const indices = parseCellIndices(wanted, cells.length)
    view.showCells(notebook, snapshot, indices)
    const cited = indices.flatMap((index) => {
      const cell = cells[index]
      return cell ? [`${headerLine(cell, index)}\n${cell.source}\n`] : []
    })
    const text = [
      `USER Cite cells [${indices.join(', ')}] from notebook ${notebook.name}, in full below.`,
      ...cited,
      '=====End of Cited Cells=====',
      `USER Request about them: ${prompt}`,
    ].join('\n')
    if (text.length > MOST_CITED_CHARACTERS) {
      throw new ToolError(
        'invalid_argument',
        `These cells have ${text.length} characters, and at most ${MOST_CITED_CHARACTERS} can be cited. Cite fewer cells.`,
      )
    }
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] }
  },
})

function needed(values: Readonly<Record<string, string>> | undefined, name: string): string {
  const value = values?.[name]
  if (value !== undefined && value.trim() !== '') return value
  throw new ToolError('invalid_argument', `The prompt jupyter_cite needs the argument ${name}.`)
}
