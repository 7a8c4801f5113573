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

describe('insert_cell', () => {
  test('inserts where it is told, and shows the cells around', async () => {
    verifies('NB-TOOL-8', 'NB-FILE-1')
    const reply = await bench.call('insert_cell', { cell_index: 1, cell_type: 'code', cell_source: 'z = 3' })
    expect(reply.text).toContain('Cell inserted successfully at index 1 (code)!')
    expect(reply.text).toContain('Notebook now has 5 cells, showing surrounding cells:')
    expect(reply.text).toContain('Index\tType\tCount\tFirst Line')
    expect(sources()).toEqual(['# Title', 'z = 3', 'x = 1\ny = 2\nprint(x)', 'print(y)', 'The end'])
    const cell = readNotebookFile(jupyter.root, path).cells[1]
    expect(reply.structured).toMatchObject({ cell: { index: 1, id: cell?.id, type: 'code' }, cell_count: 5 })
  })

  test.each([
    [{}, 4],
    [{ cell_index: null }, 4],
    [{ cell_index: -1 }, 4],
    [{ cell_index: 4 }, 4],
    [{ cell_index: 0 }, 0],
    [{ cell_id: 'two' }, 2],
    [{ cell_id: 'two', cell_index: 0 }, 2],
  ])('at %j stands at %i', async (where, index) => {
    verifies('NB-TOOL-8')
    const reply = await bench.call('insert_cell', { ...where, cell_type: 'raw', cell_source: 'new' })
    expect(reply.text).toContain(`at index ${index} (raw)`)
    expect(sources()[index]).toBe('new')
  })
})

describe('overwrite_cell_source', () => {
  test('replaces the source alone and shows the difference', async () => {
    verifies('NB-TOOL-9', 'NB-FILE-1')
    const before = readNotebookFile(jupyter.root, path).cells[1]
    const reply = await bench.call('overwrite_cell_source', {
      cell_index: 1,
      cell_source: 'x = 1\ny = 5\nprint(x)',
    })
    expect(reply.text).toMatch(/^Cell 1 overwritten successfully!\n\n```diff\n@@/)
    expect(reply.text).toContain('-y = 2\n+y = 5')
    expect(readNotebookFile(jupyter.root, path).cells[1]).toEqual({
      ...before,
      source: 'x = 1\ny = 5\nprint(x)',
    })
    expect(reply.structured).toMatchObject({ cell: { index: 1, id: 'one' }, changed: true, merged: false })
  })

  test('says when nothing changes', async () => {
    const reply = await bench.call('overwrite_cell_source', { cell_id: 'end', cell_source: 'The end' })
    expect(reply.text).toContain('- no changes detected')
    expect(reply.structured).toMatchObject({ changed: false })
  })

  test('shows a change of the last line break alone', async () => {
    const reply = await bench.call('overwrite_cell_source', { cell_id: 'end', cell_source: 'The end\n' })
    expect(reply.text).toContain('```diff')
    expect(sources()[3]).toBe('The end\n')
  })

  test('fences a difference that holds fences', async () => {
    const reply = await bench.call('overwrite_cell_source', {
      cell_id: 'end',
      cell_source: '````py\nx\n````',
    })
    expect(reply.text).toContain('`````diff\n')
    expect(reply.text.endsWith('\n`````')).toBe(true)
  })
})

describe('edit_cell_source', () => {
  test('replaces a text that is there once, across lines', async () => {
    verifies('NB-TOOL-10', 'NB-FILE-1')
    const reply = await bench.call('edit_cell_source', {
      cell_index: 1,
      old_string: '1\ny = 2',
      new_string: '$&\ny = $1',
    })
    expect(reply.text).toContain('Cell 1 edited successfully!')
    expect(reply.text).toContain('```diff')
    expect(sources()[1]).toBe('x = $&\ny = $1\nprint(x)')
    expect(reply.structured).toMatchObject({ cell: { index: 1, id: 'one' }, replaced: 1 })
  })

  test('replaces all when told so', async () => {
    verifies('NB-TOOL-10')
    const reply = await bench.call('edit_cell_source', {
      cell_id: 'one',
      old_string: 'x',
      new_string: 'xx',
      replace_all: true,
    })
    expect(reply.structured).toMatchObject({ replaced: 2, changed: true })
    expect(sources()[1]).toBe('xx = 1\ny = 2\nprint(xx)')
  })

  test.each([
    [{ old_string: '', new_string: 'a' }, 'must not be empty'],
    [{ old_string: 'X', new_string: 'a' }, 'not found'],
    [{ old_string: 'x', new_string: 'a' }, 'not unique'],
  ])('refuses %j', async (edit, marker) => {
    verifies('NB-REPLY-1', 'NB-TOOL-31')
    const reply = await bench.call('edit_cell_source', { cell_index: 1, ...edit })
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
    expect(sources()[1]).toBe('x = 1\ny = 2\nprint(x)')
  })

  test('says when the new text is the old one', async () => {
    const reply = await bench.call('edit_cell_source', { cell_index: 2, old_string: 'y', new_string: 'y' })
    expect(reply.text).toContain('- no changes detected')
  })
})

describe('delete_cell', () => {
  test('deletes several in the order asked for and gives their sources back', async () => {
    verifies('NB-TOOL-14', 'NB-FILE-1')
    const reply = await bench.call('delete_cell', { cell_indices: [3, 1] })
    expect(reply.text).toBe(
      'Cell 3 (markdown) deleted successfully.\ndeleted cell source:\nThe end\n---\n' +
        'Cell 1 (code) deleted successfully.\ndeleted cell source:\nx = 1\ny = 2\nprint(x)\n---',
    )
    expect(sources()).toEqual(['# Title', 'print(y)'])
    expect(reply.structured).toMatchObject({
      deleted: [
        { index: 3, id: 'end' },
        { index: 1, id: 'one' },
      ],
      cell_count: 2,
    })
  })

  test('deletes by id, and leaves the sources out when told so', async () => {
    const reply = await bench.call('delete_cell', { cell_ids: ['title'], include_source: false })
    expect(reply.text).toBe('Cell 0 (markdown) deleted successfully.')
    expect(sources()).toHaveLength(3)
  })

  test.each([
    [{ cell_indices: [0, 9] }, 'out of range'],
    [{ cell_indices: [0, -1] }, 'out of range'],
    [{ cell_indices: [1, 2, 1] }, 'duplicate'],
    [{ cell_ids: ['one', 'nobody'] }, 'nobody'],
    [{ cell_ids: ['one', 'one'] }, 'duplicate'],
    [{}, 'Which cells'],
  ])('deletes none of %j', async (which, marker) => {
    verifies('NB-TOOL-14', 'NB-REPLY-1')
    const reply = await bench.call('delete_cell', which)
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
    expect(sources()).toHaveLength(4)
  })
})

describe('clear_cell_output', () => {
  test('removes outputs and count', async () => {
    verifies('NB-TOOL-15', 'NB-FILE-1')
    const reply = await bench.call('clear_cell_output', { cell_index: 1 })
    expect(reply.text).toBe('Cell 1 output cleared successfully (2 output(s) removed).')
    expect(readNotebookFile(jupyter.root, path).cells[1]).toMatchObject({
      outputs: [],
      execution_count: null,
    })
    expect(reply.structured).toMatchObject({ cell: { id: 'one' }, removed_outputs: 2 })
    const again = await bench.call('clear_cell_output', { cell_id: 'one' })
    expect(again.text).toContain('had no output to clear')
  })

  test('refuses a cell that has none', async () => {
    const reply = await bench.call('clear_cell_output', { cell_index: 0 })
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain('not a code cell')
  })
})

describe('move_cell', () => {
  test('moves a cell with all it holds', async () => {
    verifies('NB-TOOL-16', 'NB-FILE-1')
    const before = readNotebookFile(jupyter.root, path).cells
    const reply = await bench.call('move_cell', { source_index: 1, target_index: 3 })
    expect(reply.text).toContain('Cell moved successfully from index 1 to 3 (code).')
    expect(reply.text).toContain('Notebook has 4 cells, showing surrounding cells:')
    expect(readNotebookFile(jupyter.root, path).cells).toEqual([before[0], before[2], before[3], before[1]])
    expect(reply.structured).toMatchObject({ cell: { index: 3, id: 'one' }, from_index: 1 })
  })

  test('takes ids', async () => {
    verifies('NB-REPLY-3')
    const reply = await bench.call('move_cell', { source_cell_id: 'end', target_cell_id: 'title' })
    expect(reply.structured).toMatchObject({ cell: { index: 0, id: 'end' }, from_index: 3 })
    expect(sources()[0]).toBe('The end')
  })

  test('leaves a cell where it is', async () => {
    const reply = await bench.call('move_cell', { source_index: 2, target_cell_id: 'two' })
    expect(reply.isError).toBe(false)
    expect(reply.text).toContain('from index 2 to 2')
  })

  test.each([
    [{ source_index: 0, target_index: 4 }, '[0, 3]'],
    [{ source_index: 9, target_index: 0 }, '[0, 3]'],
    [{ source_index: 0 }, 'target_index or target_cell_id'],
    [{ target_index: 0 }, 'source_index or source_cell_id'],
  ])('refuses %j', async (move, marker) => {
    const reply = await bench.call('move_cell', move)
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
    expect(sources()[0]).toBe('# Title')
  })
})
