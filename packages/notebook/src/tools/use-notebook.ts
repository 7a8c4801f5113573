import { z } from 'zod'
import { activate } from './shared/activate-notebook.ts'
import { briefCell, toBriefCell } from './shared/cell-summary.ts'
import { briefTable } from './shared/cell-text.ts'
import { orDefault } from './shared/fields.ts'
import { defineTool } from './tool.ts'

const PREVIEW = 20

export const useNotebook = defineTool({
  name: 'use_notebook',
  title: 'Use Notebook',
  description:
    'Opens a notebook of the server under a name of your choice, or creates one, and makes it the current notebook: do this before any other work in it. Shows its first cells. A kernel that the notebook has already is used; otherwise one starts with the first execution.',
  scope: 'notebooks:read',
  furtherScopes: ({ mode, kernel_id, kernel_name }) => [
    ...(mode === 'create' ? (['notebooks:write'] as const) : []),
    ...((kernel_id ?? kernel_name ?? null) === null ? [] : (['code:execute'] as const)),
  ],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    notebook_name: z
      .string()
      .max(200)
      .regex(/^(?=.*\S)[^\p{Cc}]*$/u, 'it must have a visible character, and no control characters')
      .describe('The name that you will call the notebook by.'),
    notebook_path: z
      .string()
      .describe("The notebook's path, relative to the server's root, such as folder/analysis.ipynb."),
    mode: orDefault(z.enum(['connect', 'create']), 'connect').describe(
      'connect: the notebook is there already. create: it is not, and is made; nothing is ever overwritten.',
    ),
    kernel_id: z
      .string()
      .min(1)
      .nullish()
      .describe('A running kernel to work in, as list_kernels shows them, or NEW to start one now.'),
    kernel_name: z
      .string()
      .min(1)
      .nullish()
      .describe('The kind of kernel to start when one is started, as list_kernelspecs shows them.'),
  }),
  output: z.object({
    notebook_name: z.string(),
    path: z.string(),
    created: z.boolean(),
    kernel_id: z.string().nullable(),
    kernel_name: z.string().nullable(),
    /** The notebook that a call without a name means now. */
    current: z.string().nullable(),
    notes: z.array(z.string()),
    cell_count: z.int(),
    /** The first of them. */
    cells: z.array(briefCell),
  }),
  async run(input, context) {
    const { notebook, snapshot, notes } = await activate(input, context)
    const { name, path, kernel } = notebook
    const { cells } = snapshot.notebook
    const shown = cells.slice(0, PREVIEW)
    const text = [
      ...notes,
      `Successfully activate notebook '${name}'.`,
      '',
      `Notebook has ${cells.length} cells.`,
      `Showing first ${shown.length} cells:`,
      briefTable(cells, { start: 0, end: PREVIEW }),
    ].join('\n')
    return {
      content: text,
      structured: {
        notebook_name: name,
        path,
        created: input.mode === 'create',
        kernel_id: kernel.id() ?? null,
        kernel_name: kernel.kernelName() ?? null,
        current: context.view.current() ?? null,
        notes: [...notes],
        cell_count: cells.length,
        cells: shown.map(toBriefCell),
      },
    }
  },
})
