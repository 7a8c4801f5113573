import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeCell, markdownCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

let jupyter: Jupyter
let bench: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  writeNotebook(jupyter.root, 'a.ipynb', [markdownCell('m', 'text'), codeCell('c', 'x = 1', '1\n')])
  bench = await startToolClient({ jupyter })
  await bench.call('use_notebook', { notebook_name: 'a', notebook_path: 'a.ipynb' })
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

/** Every file with its content and the time of its last change. */
function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => statSync(join(root, name)).isFile())
  return Object.fromEntries(
    files.map((name) => {
      const file = join(root, name)
      return [name, `${statSync(file).mtimeMs} ${readFileSync(file, 'base64')}`]
    }),
  )
}

const OUTSIDE = [
  '..',
  '../x.ipynb',
  'a/../../x.ipynb',
  '/etc/../x.ipynb',
  '%2e%2e/x.ipynb',
  'a\\..\\x.ipynb',
  'x\0.ipynb',
]

/** How to name no cell, for every tool that needs one. */
const NO_CELL: readonly Record<string, unknown>[] = [
  {},
  { cell_index: null },
  { cell_index: '' },
  { cell_id: '' },
]

/** How to name a cell wrongly, for every tool that works on one. */
const BAD_CELLS: readonly Record<string, unknown>[] = [
  { cell_index: 3 },
  { cell_index: -2 },
  { cell_index: 1.5 },
  { cell_index: '3' },
  { cell_index: '0.0' },
  { cell_index: ' 0' },
  { cell_index: 1e20 },
  { cell_index: [0] },
  { cell_id: 'nobody' },
  { cell_id: 7 },
  { cell_id: 'nobody', cell_index: 0 },
  { cell_index: 0, notebook_name: 'b' },
  { cell_index: 0, notebook_name: 7 },
  { cell_index: 0, index: 0 },
]

const BAD_LISTS: readonly Record<string, unknown>[] = [
  {},
  { cell_indices: [] },
  { cell_indices: [0, 2] },
  { cell_indices: [-1, 0] },
  { cell_indices: ['0', '1'] },
  { cell_indices: 9 },
  { cell_indices: [0, 0] },
  { cell_ids: [] },
  { cell_ids: ['m', 'nobody'] },
  { cell_ids: ['m', ''] },
  { cell_ids: 'nobody' },
  { cell_indices: [0, 1], notebook_name: 'b' },
]

const NEEDED: Readonly<Record<string, Record<string, unknown>>> = {
  read_cell: {},
  insert_cell: { cell_type: 'code', cell_source: 'new' },
  overwrite_cell_source: { cell_source: 'new' },
  edit_cell_source: { old_string: 'x', new_string: 'y' },
  clear_cell_output: {},
  split_cell: { offset: 1 },
  change_cell_type: { cell_type: 'raw' },
}

const OF_ONE_CELL = Object.entries(NEEDED).flatMap(([tool, needed]) =>
  [...BAD_CELLS, ...(tool === 'insert_cell' ? [] : NO_CELL)].map(
    (bad) => [tool, { ...needed, ...bad }] as const,
  ),
)

const OTHERS: readonly (readonly [string, Record<string, unknown>])[] = [
  ...['delete_cell', 'merge_cells'].flatMap((tool) => BAD_LISTS.map((bad) => [tool, bad] as const)),
  ['insert_cell', { cell_index: 3, cell_type: 'code', cell_source: 'x' }],
  ['insert_cell', { cell_index: 0, cell_type: 'heading', cell_source: 'x' }],
  ['insert_cell', { cell_index: 0, cell_type: 'code' }],
  ['insert_cell', { cell_index: 0, cell_type: 'code', cell_source: null }],
  ['overwrite_cell_source', { cell_index: 0 }],
  ['overwrite_cell_source', { cell_index: 0, cell_source: '\ud800' }],
  ['edit_cell_source', { cell_index: 1, old_string: '', new_string: 'y' }],
  ['edit_cell_source', { cell_index: 1, old_string: 'x' }],
  ['edit_cell_source', { cell_index: 1, old_string: 'x', new_string: 'y', replace_all: 'yes' }],
  ['clear_cell_output', { cell_index: 0 }],
  ['split_cell', { cell_index: 0, line: 2 }],
  ['split_cell', { cell_index: 0, line: -1 }],
  ['split_cell', { cell_index: 0, offset: 99 }],
  ['split_cell', { cell_index: 0 }],
  ['change_cell_type', { cell_index: 0, cell_type: 'sql' }],
  ['merge_cells', { cell_indices: [0, 1] }],
  ['merge_cells', { cell_indices: 0 }],
  ['merge_cells', { cell_ids: 'm' }],
  ['move_cell', {}],
  ['move_cell', { source_index: 0, target_index: 2 }],
  ['move_cell', { source_index: -1, target_index: 0 }],
  ['move_cell', { source_cell_id: 'm', target_cell_id: 'nobody' }],
  ['move_cell', { source_index: 0, target_index: 1, notebook_name: 'b' }],
  ['search_notebook', {}],
  ['search_notebook', { pattern: '' }],
  ['search_notebook', { pattern: 'x', limit: 0 }],
  ['search_notebook', { pattern: 'x', limit: 1e9 }],
  ['search_notebook', { pattern: '[', is_regex: true }],
  ['search_notebook', { pattern: 'x', notebook_name: 'b' }],
  ['read_notebook', { notebook_name: 'b' }],
  ['read_notebook', { response_format: 'html' }],
  ['read_notebook', { start_index: -1 }],
  ['read_notebook', { start_index: 2 }],
  ['read_notebook', { limit: -1 }],
  ['save_notebook', { notebook_name: 'b' }],
  ['save_notebook', { checkpoint: 'yes' }],
  ['unuse_notebook', {}],
  ['unuse_notebook', { notebook_name: null }],
  ['unuse_notebook', { notebook_name: 'b' }],
  ['list_notebooks', { all: true }],
  ['list_files', { max_depth: 4 }],
  ['list_files', { max_depth: -1 }],
  ['list_files', { limit: -1 }],
  ['list_files', { start_index: -1 }],
  ['list_files', { path: 'nowhere' }],
  ['list_files', { path: 'a.ipynb' }],
  ['list_files', { pattern: '{a,b}'.repeat(20) }],
  ['list_files', { pattern: 'x'.repeat(10_000) }],
  ['use_notebook', {}],
  ['use_notebook', { notebook_name: '', notebook_path: 'a.ipynb' }],
  ['use_notebook', { notebook_name: '   ', notebook_path: 'a.ipynb' }],
  ['use_notebook', { notebook_name: 'x\ny', notebook_path: 'a.ipynb' }],
  ['use_notebook', { notebook_name: 'x'.repeat(300), notebook_path: 'a.ipynb' }],
  ['use_notebook', { notebook_name: 'x', notebook_path: '' }],
  ['use_notebook', { notebook_name: 'x', notebook_path: 'a.ipynb', mode: 'append' }],
  ['use_notebook', { notebook_name: 'x', notebook_path: 'a.ipynb', mode: 'create' }],
  ['use_notebook', { notebook_name: 'x', notebook_path: 'a.ipynb', kernel_id: '../../x' }],
  ['use_notebook', { notebook_name: 'x', notebook_path: 'n.ipynb', mode: 'create', kernel_name: 'nope' }],
  ...OUTSIDE.flatMap((path) => [
    ['use_notebook', { notebook_name: 'x', notebook_path: path }] as const,
    ['use_notebook', { notebook_name: 'x', notebook_path: path, mode: 'create' }] as const,
    ['list_files', { path }] as const,
    ['rename_file', { path: 'a.ipynb', new_path: path }] as const,
    ['rename_file', { path, new_path: 'b.ipynb' }] as const,
    ['delete_file', { path }] as const,
  ]),
  ['rename_file', { path: 'a.ipynb' }],
  ['rename_file', { path: '', new_path: 'x' }],
  ['rename_file', { path: 'a.ipynb', new_path: '' }],
  ['rename_file', { path: 'nowhere', new_path: 'x' }],
  ['delete_file', {}],
  ['delete_file', { path: '' }],
  ['delete_file', { path: 'a.ipynb' }],
  ['delete_file', { path: 'nowhere' }],
]

describe('bad input', () => {
  test.each(
    [...OF_ONE_CELL, ...OTHERS].map(
      ([tool, args]) => [tool, JSON.stringify(args).slice(0, 120), args] as const,
    ),
  )('%s %s is refused with a sentence and changes nothing', async (tool, _label, args) => {
    verifies('NB-REPLY-1')
    const before = filesIn(jupyter.root)
    const reply = await bench.call(tool, args)
    expect(reply.isError).toBe(true)
    expect(reply.text).toMatch(/^.{15,}[.\])]$/s)
    expect(reply.structured).toMatchObject({ error: { code: expect.stringMatching(/^(?!internal)/) } })
    expect(filesIn(jupyter.root)).toEqual(before)
    const { notebooks } = (await bench.call('list_notebooks')).structured
    expect(notebooks).toMatchObject([{ name: 'a', path: 'a.ipynb', current: true }])
  })

  test('what has one meaning is read so', async () => {
    const cell = { index: 1, id: 'c' }
    for (const which of [
      { cell_index: '1' },
      { cell_id: 'c', cell_index: '' },
      { cell_index: 1, cell_id: '' },
    ]) {
      const reply = await bench.call('read_cell', { ...which, notebook_name: '', include_outputs: 'False' })
      expect(reply).toMatchObject({ isError: false, structured: { cell }, content: { length: 2 } })
    }
    const listed = await bench.call('list_files', { path: './.', pattern: '', max_depth: '0', limit: '1' })
    expect(listed.structured).toMatchObject({ files: [{ path: 'a.ipynb' }] })
    const again = await bench.call('use_notebook', {
      notebook_name: 'a',
      notebook_path: './a.ipynb',
      kernel_id: '',
      kernel_name: '',
    })
    expect(again).toMatchObject({ isError: false, structured: { path: 'a.ipynb', kernel_id: null } })
    const inserted = await bench.call('insert_cell', { cell_type: 'raw', cell_source: '3', cell_index: '' })
    expect(inserted.structured).toMatchObject({ cell: { index: 2 }, cell_count: 3 })
    const deleted = await bench.call('delete_cell', { cell_indices: 2 })
    expect(deleted.structured).toMatchObject({ deleted: [{ index: 2 }], cell_count: 2 })
  })

  test('an explicit null means the default', async () => {
    const replies = await Promise.all([
      bench.call('list_files', {
        path: null,
        max_depth: null,
        start_index: null,
        limit: null,
        pattern: null,
      }),
      bench.call('read_notebook', {
        notebook_name: null,
        response_format: null,
        start_index: null,
        limit: null,
      }),
      bench.call('read_cell', { cell_index: 0, cell_id: null, include_outputs: null, notebook_name: null }),
      bench.call('search_notebook', { pattern: 'x', is_regex: null, limit: null, case_sensitive: null }),
      bench.call('use_notebook', {
        notebook_name: 'a',
        notebook_path: 'a.ipynb',
        mode: null,
        kernel_id: null,
        kernel_name: null,
      }),
    ])
    expect(replies.map(({ isError, text }) => (isError ? text : 'fine'))).toEqual(replies.map(() => 'fine'))
  })
})
