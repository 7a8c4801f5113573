import { z } from 'zod'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { mapBounded } from './shared/map-bounded.ts'
import { toTsv } from './shared/tsv.ts'
import { defineTool } from './tool.ts'

const AT_ONCE = 6

export const listNotebooks = defineTool({
  name: 'list_notebooks',
  title: 'List Notebooks',
  description:
    'Lists the notebooks that you have in use, with path and kernel, and marks the current one. Other files of the server are shown by list_files.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    notebooks: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        kernel_id: z.string().nullable(),
        kernel_status: z.enum(['alive', 'dead', 'not_initialized', 'unknown', 'error']),
        current: z.boolean(),
      }),
    ),
  }),
  async run(_input, { view, signal }) {
    const current = view.current()
    const sorted = view.workspace.all().toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const notebooks = await mapBounded(sorted, AT_ONCE, async ({ name, path, kernel }: ManagedNotebook) => ({
      name,
      path,
      kernel_id: kernel.id() ?? null,
      kernel_status: await kernel.status(signal),
      current: name === current,
    }))
    if (notebooks.length === 0) {
      return { content: 'No managed notebooks. Open one with use_notebook.', structured: { notebooks } }
    }
    const rows = notebooks.map(({ name, path, kernel_id, kernel_status, current: isCurrent }) => [
      name,
      path,
      kernel_id ?? '-',
      kernel_status,
      isCurrent ? '✓' : '',
    ])
    return {
      content: toTsv(['Name', 'Path', 'Kernel_ID', 'Kernel_Status', 'Activate'], rows),
      structured: { notebooks },
    }
  },
})
