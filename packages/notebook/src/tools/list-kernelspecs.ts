import { z } from 'zod'
import { toTsv } from './shared/tsv.ts'
import { defineTool } from './tool.ts'

export const listKernelspecs = defineTool({
  name: 'list_kernelspecs',
  title: 'List Kernelspecs',
  description:
    'Lists the kinds of kernel that the execution server can start, and marks its default. Give a name from here to use_notebook as kernel_name. Kernels that run already are shown by list_kernels.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    default: z.string().nullable(),
    kernelspecs: z.array(
      z.object({
        name: z.string(),
        display_name: z.string(),
        language: z.string(),
        is_default: z.boolean(),
      }),
    ),
  }),
  async run(_input, { servers, signal }) {
    const found = await servers.kernels.specs(signal)
    const kernelspecs = found.specs
      .map(({ name, displayName, language }) => ({
        name,
        display_name: displayName,
        language: language || 'unknown',
        is_default: name === found.default,
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    const rows = kernelspecs.map(({ name, display_name, language, is_default }) => [
      name,
      display_name,
      language,
      is_default ? '✓' : '',
    ])
    const text =
      rows.length === 0
        ? 'No kernelspecs found: the execution server has no kernel installed, so it cannot run code.'
        : toTsv(['Name', 'Display_Name', 'Language', 'Default'], rows)
    return { content: text, structured: { default: found.default || null, kernelspecs } }
  },
})
