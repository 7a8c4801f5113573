import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeCell, readNotebookFile, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient } from '../fixtures/tool-client.ts'
import {
  type ExecutionBench,
  nbformatFaults,
  printedIn,
  startExecutionBench,
} from './shared/execution-bench.fixture.ts'

let on: ExecutionBench

beforeAll(async () => {
  on = await startExecutionBench()
})

afterAll(async () => {
  await on?.stop()
})

const printed = (path: string) => printedIn(on.jupyter.root, path)

const insert = (args: Record<string, unknown>) => on.bench.call('insert_execute_code_cell', args)

test('inserts a cell and executes exactly that cell', async () => {
  verifies('NB-TOOL-12', 'NB-TOOL-31', 'NB-FILE-1')
  await on.open('insert.ipynb', [codeCell('a', 'print("a")'), codeCell('b', 'print("b")')])
  const reply = await insert({ cell_index: 1, cell_source: 'print("new")\n6 * 7' })
  expect(reply.isError).toBe(false)
  expect(reply.text).toMatch(/^new\n\n42\n\[Inserted as cell 1, id '\w+'\]\n\[COMPLETED in \d+\.\ds\]$/)
  const { cells } = readNotebookFile(on.jupyter.root, 'insert.ipynb')
  expect(cells.map(({ source }) => source)).toEqual(['print("a")', 'print("new")\n6 * 7', 'print("b")'])
  expect(reply.structured).toMatchObject({
    cell: { index: 1, id: cells[1]?.id },
    written: true,
    status: 'ok',
  })
  expect(printed('insert.ipynb')).toEqual(['', 'new\nexecute_result', ''])
})

test.each([
  [{ cell_index: -1 }, 2],
  [{}, 2],
  [{ cell_index: null, cell_id: '' }, 2],
  [{ cell_index: 2, timeout: null, stream: null, progress_interval: null, notebook_name: null }, 2],
  [{ cell_id: 'b' }, 1],
])('puts it where %o says', async (where, index) => {
  await on.open('where.ipynb', [codeCell('a', '1'), codeCell('b', '2')])
  const reply = await insert({ notebook_name: 'where.ipynb', cell_source: 'print("here")', ...where })
  expect(reply.structured).toMatchObject({ cell: { index }, status: 'ok' })
  expect(printed('where.ipynb')[index]).toBe('here\n')
})

test('keeps the cell when it raises an exception or takes too long', async () => {
  await on.open('stays.ipynb', [])
  const raised = await insert({ cell_index: 0, cell_source: '1 / 0' })
  expect(raised.isError).toBe(false)
  expect(raised.structured).toMatchObject({ status: 'error', cell: { index: 0 } })
  const slow = await insert({ cell_index: -1, cell_source: 'import time; time.sleep(60)', timeout: 1 })
  expect(slow.isError).toBe(true)
  expect(slow.structured).toMatchObject({ status: 'timeout', cell: { index: 1 }, written: true })
  expect(printed('stays.ipynb')).toEqual(['error', 'error'])
})

test('says where the cell is when it could not be executed', async () => {
  const bench = await startToolClient({
    jupyter: on.jupyter,
    sandbox: { url: 'http://127.0.0.1:9', token: 'none' },
  })
  try {
    writeNotebook(on.jupyter.root, 'stranded.ipynb', [])
    await bench.call('use_notebook', { notebook_name: 's', notebook_path: 'stranded.ipynb' })
    const reply = await bench.call('insert_execute_code_cell', { cell_index: -1, cell_source: 'x = 1' })
    expect(reply.isError).toBe(true)
    expect(reply.text).toMatch(/^The cell was inserted and stays at index 0, id '\w+'; executing it failed\./)
    expect(readNotebookFile(on.jupyter.root, 'stranded.ipynb').cells).toMatchObject([{ source: 'x = 1' }])
  } finally {
    await bench.close()
  }
})

test.each([
  ['an index beyond the end', { cell_index: 3, cell_source: 'x' }, /\[-1, 2\]/],
  ['an index before the end of all', { cell_index: -2, cell_source: 'x' }, /cell_index/],
  ['no source', { cell_index: 0 }, /cell_source/],
  ['an id that is not there', { cell_id: 'nobody', cell_source: 'x' }, /nobody/],
  ['a negative timeout', { cell_index: 0, cell_source: 'x', timeout: -1 }, /cannot be negative/],
])('refuses %s, and inserts nothing', async (_what, args, sentence) => {
  verifies('NB-EXEC-4', 'NB-REPLY-1')
  await on.open('nothing.ipynb', [codeCell('a', '1'), codeCell('b', '2')])
  const reply = await insert({ notebook_name: 'nothing.ipynb', ...args })
  expect(reply.isError).toBe(true)
  expect(reply.text).toMatch(sentence)
  expect(readNotebookFile(on.jupyter.root, 'nothing.ipynb').cells).toHaveLength(2)
})

test.each([
  ['insert_execute_code_cell', { cell_source: 'open("ran", "w")' }],
  ['execute_cell', { cell_index: 0 }],
  ['run_cells', {}],
])('%s runs nothing in a notebook of an old format, which cannot be written', async (tool, args) => {
  const path = 'old/three.ipynb'
  const cell = {
    cell_type: 'code',
    input: ['open("ran", "w")'],
    language: 'python',
    metadata: {},
    outputs: [],
  }
  const worksheets = [{ cells: [cell], metadata: {} }]
  const old = JSON.stringify({ nbformat: 3, nbformat_minor: 0, metadata: { name: '' }, worksheets })
  mkdirSync(join(on.jupyter.root, 'old'), { recursive: true })
  writeFileSync(join(on.jupyter.root, path), old)
  await on.bench.call('use_notebook', { notebook_name: path, notebook_path: path, kernel_id: on.kernelId })
  const reply = await on.bench.call(tool, { ...args, notebook_name: path })
  expect(reply.isError).toBe(true)
  expect(reply.text).toMatch(/old format 3.*Open and save it once in Jupyter/)
  expect(readdirSync(on.jupyter.root)).not.toContain('ran')
  expect(readFileSync(join(on.jupyter.root, path), 'utf8')).toBe(old)
})

test('every notebook that was written here is valid', async () => {
  expect(await nbformatFaults(on.jupyter.root)).toBe('')
})
