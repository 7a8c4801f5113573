import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeCell, markdownCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'
import { allTools } from './registry.ts'

let jupyter: Jupyter
let bench: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  bench = await startToolClient({ jupyter })
  writeFileSync(join(jupyter.root, 'old.txt'), 'x')
  writeNotebook(jupyter.root, 'a.ipynb', [
    markdownCell('m', 'one\ntwo'),
    codeCell('c', 'x = 1'),
    codeCell('d', 'print(x)'),
  ])
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

/** One call of every tool that succeeds, in an order in which they do. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['list_files', {}],
  ['list_kernelspecs', {}],
  ['use_notebook', { notebook_name: 'a', notebook_path: 'a.ipynb' }],
  ['list_notebooks', {}],
  ['read_notebook', {}],
  ['execute_cell', { cell_id: 'c' }],
  ['list_kernels', {}],
  ['run_cells', { cell_ids: ['c', 'd'] }],
  ['execute_code', { code: 'y = 2' }],
  ['insert_execute_code_cell', { cell_index: -1, cell_source: 'y' }],
  ['inspect_variables', {}],
  ['interrupt_kernel', {}],
  ['restart_notebook', { notebook_name: 'a' }],
  ['read_cell', { cell_id: 'd' }],
  ['search_notebook', { pattern: 'print' }],
  ['clear_cell_output', { cell_id: 'd' }],
  ['insert_cell', { cell_index: 0, cell_type: 'raw', cell_source: 'raw' }],
  ['overwrite_cell_source', { cell_id: 'c', cell_source: 'x = 3' }],
  ['edit_cell_source', { cell_id: 'c', old_string: '3', new_string: '4' }],
  ['change_cell_type', { cell_index: 0, cell_type: 'markdown' }],
  ['split_cell', { cell_id: 'm', line: 2 }],
  ['merge_cells', { cell_indices: [1, 2] }],
  ['move_cell', { source_index: 0, target_index: 1 }],
  ['delete_cell', { cell_indices: [0] }],
  ['save_notebook', {}],
  ['rename_file', { path: 'old.txt', new_path: 'new.txt' }],
  ['delete_file', { path: 'new.txt' }],
  ['unuse_notebook', { notebook_name: 'a' }],
]

test('every result carries text and structured content', async () => {
  verifies('NB-REPLY-6', 'NB-REPLY-7')
  const last = ['connect_to_jupyter', { jupyter_url: jupyter.url, jupyter_token: jupyter.token }] as const
  const calls = [...CALLS, last]
  expect(calls.map(([name]) => name).sort()).toEqual(allTools.map(({ name }) => name))
  for (const [name, args] of calls) {
    // The client itself holds the structured content to the tool's output schema.
    const { isError, text, structured } = await bench.call(name, args)
    expect([name, isError ? text : 'fine']).toEqual([name, 'fine'])
    expect(text.trim(), name).not.toBe('')
    expect(Object.keys(structured), name).not.toEqual([])
  }
})

test.each(allTools.map(({ name }) => name))('a failure of %s does so too', async (name) => {
  verifies('NB-REPLY-1', 'NB-REPLY-6', 'NB-REPLY-7')
  const { isError, text, structured } = await bench.call(name, { nonsense: true })
  expect(isError).toBe(true)
  expect(text).toContain('unknown parameter nonsense')
  expect(structured).toMatchObject({ error: { code: 'invalid_argument', message: text } })
})
