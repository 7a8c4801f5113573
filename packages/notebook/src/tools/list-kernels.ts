import { z } from 'zod'
import type { KernelSpec } from '../upstream/kernels.ts'
import { toTsv } from './shared/tsv.ts'
import { defineTool } from './tool.ts'

const LONGEST_ENVIRONMENT = 100
const COLUMNS = [
  'ID',
  'Name',
  'Display_Name',
  'Language',
  'State',
  'Connections',
  'Last_Activity',
  'Environment',
]

export const listKernels = defineTool({
  name: 'list_kernels',
  title: 'List Kernels',
  description:
    'Lists the kernels that run on the execution server, with state and last activity; the id of one can be given to use_notebook, execute_code and interrupt_kernel. The kinds of kernel that could be started are shown by list_kernelspecs.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    kernels: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        display_name: z.string(),
        language: z.string(),
        state: z.string(),
        connections: z.int(),
        last_activity: z.string(),
        /** Those of your notebooks in use that work in it. */
        notebook_names: z.array(z.string()),
      }),
    ),
  }),
  async run(_input, { servers, view, signal }) {
    const [running, { specs }] = await Promise.all([
      servers.kernels.list(signal),
      servers.kernels.specs(signal),
    ])
    if (running.length === 0) {
      const text = 'No kernels found: none is running. The first execution in a notebook starts one.'
      return { content: text, structured: { kernels: [] } }
    }
    const notebooks = view.workspace.all()
    const kernels = running.map(({ id, name, executionState, connections, lastActivity }) => {
      const spec = specs.find((known) => known.name === name)
      return {
        id,
        name,
        display_name: spec?.displayName || UNKNOWN,
        language: spec?.language || UNKNOWN,
        state: executionState,
        connections,
        last_activity: lastActivity || UNKNOWN,
        notebook_names: notebooks.filter(({ kernel }) => kernel.id() === id).map((notebook) => notebook.name),
        environment: spec ? environmentOf(spec) : UNKNOWN,
      }
    })
    const rows = kernels.map((kernel) => [
      kernel.id,
      kernel.name || UNKNOWN,
      kernel.display_name,
      kernel.language,
      kernel.state,
      String(kernel.connections),
      toTableTime(kernel.last_activity),
      kernel.environment,
    ])
    return {
      content: toTsv(COLUMNS, rows),
      structured: { kernels: kernels.map(({ environment: _, ...kernel }) => kernel) },
    }
  },
})

const UNKNOWN = 'unknown'

function environmentOf({ environment }: KernelSpec): string {
  const text = Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  if (text === '') return UNKNOWN
  return text.length > LONGEST_ENVIRONMENT ? `${text.slice(0, LONGEST_ENVIRONMENT).toWellFormed()}...` : text
}

function toTableTime(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/s, '$1 $2')
}
