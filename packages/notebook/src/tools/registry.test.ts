import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createToolBox } from '../workbench/tool-box.ts'
import { allTools } from './registry.ts'

const listed = new Map(
  createToolBox(allTools, createSilentLogger())
    .list()
    .map((tool) => [tool.name, tool]),
)

/** The tools of the reference product with its parameters. */
const REFERENCE: Readonly<Record<string, readonly string[]>> = {
  list_files: ['path', 'max_depth', 'start_index', 'limit', 'pattern'],
  list_kernels: [],
  use_notebook: ['notebook_name', 'notebook_path', 'mode', 'kernel_id'],
  list_notebooks: [],
  restart_notebook: ['notebook_name'],
  unuse_notebook: ['notebook_name'],
  read_notebook: ['notebook_name', 'response_format', 'start_index', 'limit'],
  insert_cell: ['cell_index', 'cell_type', 'cell_source', 'notebook_name'],
  overwrite_cell_source: ['cell_index', 'cell_source', 'notebook_name'],
  edit_cell_source: ['cell_index', 'old_string', 'new_string', 'replace_all', 'notebook_name'],
  execute_cell: ['cell_index', 'timeout', 'stream', 'progress_interval'],
  insert_execute_code_cell: ['cell_index', 'cell_source', 'timeout', 'stream', 'progress_interval'],
  read_cell: ['cell_index', 'include_outputs', 'notebook_name'],
  delete_cell: ['cell_indices', 'include_source', 'notebook_name'],
  clear_cell_output: ['cell_index', 'notebook_name'],
  move_cell: ['source_index', 'target_index', 'notebook_name'],
  execute_code: ['code', 'timeout', 'kernel_id', 'progress_interval'],
  connect_to_jupyter: ['jupyter_url', 'jupyter_token', 'document_provider'],
}

const FURTHER = [
  'list_kernelspecs',
  'interrupt_kernel',
  'run_cells',
  'search_notebook',
  'inspect_variables',
  'split_cell',
  'merge_cells',
  'change_cell_type',
  'save_notebook',
  'rename_file',
  'delete_file',
]

const IDS: Readonly<Record<string, readonly string[]>> = {
  read_cell: ['cell_id'],
  insert_cell: ['cell_id'],
  overwrite_cell_source: ['cell_id'],
  edit_cell_source: ['cell_id'],
  execute_cell: ['cell_id'],
  insert_execute_code_cell: ['cell_id'],
  clear_cell_output: ['cell_id'],
  split_cell: ['cell_id'],
  change_cell_type: ['cell_id'],
  delete_cell: ['cell_ids'],
  merge_cells: ['cell_ids'],
  run_cells: ['cell_ids'],
  move_cell: ['source_cell_id', 'target_cell_id'],
}

const parametersOf = (name: string) => Object.keys(listed.get(name)?.inputSchema.properties ?? {})

test('no schema holds a pattern: some providers refuse every tool for one that they cannot compile', () => {
  expect(JSON.stringify([...listed.values()])).not.toContain('"pattern":"')
})

test('there are the 18 tools of the reference product and the 11 further ones, sorted', () => {
  const names = [...listed.keys()]
  expect(names).toEqual([...Object.keys(REFERENCE), ...FURTHER].sort())
})

test.each(Object.entries(REFERENCE))(
  '%s takes the parameters of the reference product',
  (name, parameters) => {
    verifies('NB-TOOL-30')
    expect(parametersOf(name)).toEqual(expect.arrayContaining([...parameters]))
  },
)

test.each(Object.entries(IDS))('%s takes cells by id', (name, parameters) => {
  verifies('NB-REPLY-2', 'NB-REPLY-3')
  expect(parametersOf(name)).toEqual(expect.arrayContaining(['notebook_name', ...parameters]))
})

test.each(['execute_code', 'inspect_variables', 'interrupt_kernel', 'search_notebook', 'save_notebook'])(
  '%s takes the notebook by name',
  (name) => {
    verifies('NB-REPLY-2')
    expect(parametersOf(name)).toContain('notebook_name')
  },
)

describe.each(allTools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  test('has a title, a description and all four annotations', () => {
    verifies('NB-REPLY-8')
    const wire = listed.get(name)
    expect(wire?.title).toMatch(/^[A-Z]/)
    expect(wire?.description?.length).toBeGreaterThan(20)
    expect(wire?.annotations).toEqual({
      title: wire?.title,
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    })
  })

  test('says of itself what its scope says', () => {
    expect(tool.annotations.readOnlyHint && tool.annotations.destructiveHint).toBe(false)
    if (tool.annotations.readOnlyHint) expect(['notebooks:read', 'code:execute']).toContain(tool.scope)
    if (tool.annotations.openWorldHint) expect(['code:execute', 'server:manage']).toContain(tool.scope)
  })

  test('describes each parameter, and accepts an explicit null for each that may be left out', () => {
    const { properties = {}, required = [] } = listed.get(name)?.inputSchema ?? {}
    for (const [parameter, schema] of Object.entries(properties)) {
      expect(schema, parameter).toMatchObject({ description: expect.any(String) })
      if (required.includes(parameter)) continue
      const parsed = tool.input.shape[parameter]?.safeParse(null)
      expect(parsed?.success, `${parameter}: null`).toBe(true)
    }
  })

  test('refuses what it does not know', () => {
    expect(listed.get(name)?.inputSchema).toMatchObject({ additionalProperties: false })
  })
})
