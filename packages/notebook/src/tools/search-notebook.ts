import { z } from 'zod'
import { searchNotebook as searchIn } from '../document/search-notebook.ts'
import { notebookName, orDefault } from './shared/fields.ts'
import { toTsv } from './shared/tsv.ts'
import { defineTool } from './tool.ts'

export const searchNotebook = defineTool({
  name: 'search_notebook',
  title: 'Search Notebook',
  description:
    'Finds text in the sources of a notebook in use, and in its outputs when asked. Take it instead of reading a long notebook whole.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    pattern: z.string().describe('The text to find.'),
    is_regex: orDefault(z.boolean(), false).describe('The pattern is a JavaScript regular expression.'),
    case_sensitive: orDefault(z.boolean(), false).describe('Tell upper case from lower case.'),
    include_outputs: orDefault(z.boolean(), false).describe('Search the text of outputs too.'),
    limit: orDefault(z.int().min(1).max(500), 50).describe('How many matches to show at most.'),
    notebook_name: notebookName,
  }),
  output: z.object({
    notebook_name: z.string(),
    /** All of them, those beyond the limit too. */
    total: z.int(),
    matches: z.array(
      z.object({
        cell_index: z.int(),
        cell_id: z.string().nullable(),
        cell_type: z.string(),
        /** Null for the source. */
        output: z.int().nullable(),
        line: z.int(),
        text: z.string(),
      }),
    ),
  }),
  async run(input, { view, signal }) {
    const notebook = view.notebook(input.notebook_name)
    const snapshot = await notebook.document.read(signal)
    view.showCells(notebook, snapshot, [])
    const { hits, total } = await searchIn(snapshot.notebook, {
      query: input.pattern,
      regex: input.is_regex,
      caseSensitive: input.case_sensitive,
      outputs: input.include_outputs,
      limit: input.limit,
      signal,
    })
    const matches = hits.map(({ index, id, type, output, line, text }) => ({
      cell_index: index,
      cell_id: id ?? null,
      cell_type: type,
      output: output ?? null,
      line,
      text,
    }))
    const structured = { notebook_name: notebook.name, total, matches }
    if (total === 0) return { content: `No matches found in notebook ${notebook.name}.`, structured }
    const rows = matches.map((match) => [
      String(match.cell_index),
      match.cell_type,
      match.output === null ? 'source' : `output ${match.output}`,
      String(match.line),
      match.text,
      match.cell_id ?? '-',
    ])
    const shown = matches.length < total ? `, showing the first ${matches.length}` : ''
    return {
      content: `Found ${total} match(es) in notebook ${notebook.name}${shown}:\n\n${toTsv(['Index', 'Type', 'Where', 'Line', 'Text', 'Id'], rows)}`,
      structured,
    }
  },
})
