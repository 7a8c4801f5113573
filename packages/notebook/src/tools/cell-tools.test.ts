import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  codeCell,
  markdownCell,
  readNotebookFile,
  sourcesIn,
  writeNotebook,
} from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

let jupyter: Jupyter
let bench: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  bench = await startToolClient({ jupyter })
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

const CELLS = [
  markdownCell('title', '# Title'),
  codeCell('one', 'x = 1\ny = 2\nprint(x)', '1\n', 'more\n'),
  codeCell('two', 'print(y)'),
  markdownCell('end', 'The end'),
]

let count = 0
let path = ''
let name = ''

beforeEach(async () => {
  count += 1
  path = `cells-${count}.ipynb`
  name = `n${count}`
  writeNotebook(jupyter.root, path, CELLS)
  const opened = await bench.call('use_notebook', { notebook_name: name, notebook_path: path })
  expect(opened.isError).toBe(false)
})

const sources = () => sourcesIn(jupyter.root, path)

describe('split_cell', () => {
  test('splits before a line', async () => {
    verifies('NB-TOOL-24')
    const reply = await bench.call('split_cell', { cell_index: 1, line: 3 })
    expect(reply.text).toContain('Cell 1 split successfully into cells 1 and 2 (2 output(s) removed).')
    expect(sources()).toEqual(['# Title', 'x = 1\ny = 2', 'print(x)', 'print(y)', 'The end'])
    expect(reply.structured).toMatchObject({
      first: { index: 1, id: 'one' },
      second: { index: 2 },
      cell_count: 5,
    })
  })

  test('splits at a character', async () => {
    await bench.call('split_cell', { cell_id: 'end', offset: 3 })
    expect(sources().slice(3)).toEqual(['The', ' end'])
  })

  test.each([
    [{}, 'Give line or offset'],
    [{ line: 2, offset: 2 }, 'one of them'],
    [{ line: 1 }, '[2, 3]'],
    [{ line: 4 }, '[2, 3]'],
    [{ offset: 0 }, 'out of range'],
    [{ offset: 999 }, 'out of range'],
  ])('refuses %j', async (where, marker) => {
    const reply = await bench.call('split_cell', { cell_index: 1, ...where })
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
    expect(sources()).toHaveLength(4)
  })
})

describe('merge_cells', () => {
  test('merges neighbours into the first', async () => {
    verifies('NB-TOOL-25')
    const reply = await bench.call('merge_cells', { cell_indices: [2, 1] })
    expect(reply.text).toContain('2 cells merged successfully into cell 1 (code; 2 output(s) removed).')
    expect(sources()).toEqual(['# Title', 'x = 1\ny = 2\nprint(x)\nprint(y)', 'The end'])
    expect(reply.structured).toMatchObject({ cell: { index: 1, id: 'one' }, merged_cells: 2, cell_count: 3 })
  })

  test.each([
    [{ cell_ids: ['one'] }, 'At least two'],
    [{ cell_ids: ['title', 'end'] }, 'not neighbours'],
    [{ cell_indices: [0, 1] }, 'one type'],
    [{ cell_indices: [1, 1] }, 'duplicate'],
    [{}, 'cell_indices or cell_ids'],
  ])('refuses %j', async (which, marker) => {
    const reply = await bench.call('merge_cells', which)
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
    expect(sources()).toHaveLength(4)
  })
})

describe('change_cell_type', () => {
  test('changes the type and says what is lost', async () => {
    verifies('NB-TOOL-26')
    const reply = await bench.call('change_cell_type', { cell_index: 1, cell_type: 'markdown' })
    expect(reply.text).toBe('Cell 1 changed successfully from code to markdown (2 output(s) removed).')
    const cell = readNotebookFile(jupyter.root, path).cells[1]
    expect(cell).toEqual({ id: 'one', cell_type: 'markdown', metadata: {}, source: 'x = 1\ny = 2\nprint(x)' })
    const again = await bench.call('change_cell_type', { cell_id: 'one', cell_type: 'markdown' })
    expect(again.text).toContain('no changes detected')
  })
})

describe('search_notebook', () => {
  test('finds text with cell, line and id', async () => {
    verifies('NB-TOOL-22')
    const reply = await bench.call('search_notebook', { pattern: 'PRINT(' })
    expect(reply.text).toContain(`Found 2 match(es) in notebook ${name}:`)
    expect(reply.text).toContain('Index\tType\tWhere\tLine\tText\tId\n1\tcode\tsource\t3\tprint(x)\tone')
    expect(reply.structured).toMatchObject({
      total: 2,
      matches: [
        { cell_index: 1, cell_id: 'one', line: 3 },
        { cell_index: 2, cell_id: 'two', line: 1 },
      ],
    })
  })

  test('minds case, limits and outputs when told so', async () => {
    const none = await bench.call('search_notebook', { pattern: 'PRINT', case_sensitive: true })
    expect(none).toMatchObject({ isError: false, structured: { total: 0, matches: [] } })
    const one = await bench.call('search_notebook', { pattern: '^print', is_regex: true, limit: 1 })
    expect(one.text).toContain('Found 2 match(es)')
    expect(one.text).toContain('showing the first 1')
    const outputs = await bench.call('search_notebook', { pattern: 'more', include_outputs: true })
    expect(outputs.structured).toMatchObject({ matches: [{ cell_index: 1, output: 1, text: 'more' }] })
  })

  test.each([
    [{ pattern: '' }, 'must not be empty'],
    [{ pattern: '(', is_regex: true }, 'regular expression'],
  ])('refuses %j', async (search, marker) => {
    const reply = await bench.call('search_notebook', search)
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
  })
})

describe('save_notebook', () => {
  test('says that the file has everything, and makes a checkpoint when asked', async () => {
    verifies('NB-TOOL-27')
    const reply = await bench.call('save_notebook', { checkpoint: true })
    expect(reply.text).toContain(`Notebook '${name}' saved successfully to '${path}'.`)
    expect(reply.structured).toMatchObject({ notebook_name: name, path, cell_count: 4, checkpoint: true })
    const checkpoint = `.ipynb_checkpoints/${path.replace('.ipynb', '-checkpoint.ipynb')}`
    expect(sourcesIn(jupyter.root, checkpoint)).toEqual(sources())
  })
})

describe('a notebook that somebody else edits meanwhile', () => {
  test('is merged when the edit is elsewhere, and the reply says so', async () => {
    await bench.call('read_notebook', {})
    writeNotebook(jupyter.root, path, [markdownCell('new', 'by a person'), ...CELLS])
    const reply = await bench.call('overwrite_cell_source', { cell_index: 2, cell_source: 'print(3)' })
    expect(reply.text).toContain('Cell 3 overwritten successfully!')
    expect(reply.text).toContain('[NOTE: somebody else has changed this notebook')
    expect(reply.structured).toMatchObject({ cell: { index: 3, id: 'two' }, merged: true })
    expect(sources()).toEqual(['by a person', '# Title', 'x = 1\ny = 2\nprint(x)', 'print(3)', 'The end'])
  })

  test('is not touched when the edit is in the same cell', async () => {
    await bench.call('read_notebook', {})
    const theirs = [CELLS[0], CELLS[1], codeCell('two', 'print("theirs")'), CELLS[3]]
    writeNotebook(jupyter.root, path, theirs as typeof CELLS)
    const reply = await bench.call('overwrite_cell_source', { cell_index: 2, cell_source: 'print("ours")' })
    expect(reply.isError).toBe(true)
    expect(reply.structured).toMatchObject({ error: { code: 'conflict' } })
    expect(reply.text).toMatch(/Read it again with read_cell, then repeat the call\.$/)
    expect(sources()[2]).toBe('print("theirs")')
  })
})

describe('a notebook without cell ids', () => {
  test('is edited by index, and ids are refused', async () => {
    const old = `old-${count}.ipynb`
    const cells = CELLS.map(({ id: _, ...cell }) => cell)
    writeNotebook(jupyter.root, old, cells, 4)
    const opened = await bench.call('use_notebook', { notebook_name: old, notebook_path: old })
    expect(opened.text).toContain('Index\tType\tCount\tFirst Line\n')
    const edited = await bench.call('overwrite_cell_source', { cell_index: 2, cell_source: 'new' })
    expect(edited.structured).toMatchObject({ cell: { index: 2, id: null } })
    expect(sourcesIn(jupyter.root, old)[2]).toBe('new')
    const refused = await bench.call('delete_cell', { cell_ids: ['two'] })
    expect(refused.isError).toBe(true)
  })
})
