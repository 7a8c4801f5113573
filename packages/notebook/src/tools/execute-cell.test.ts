import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Progress } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { CodeCell } from '../document/nbformat.ts'
import { codeCell, markdownCell, readNotebookFile, writeNotebook } from '../fixtures/notebook-files.ts'
import { type ExecutionBench, nbformatFaults, startExecutionBench } from './shared/execution-bench.fixture.ts'

let on: ExecutionBench

beforeAll(async () => {
  on = await startExecutionBench()
})

afterAll(async () => {
  await on?.stop()
})

const execute = (args: Record<string, unknown>, options?: object) =>
  on.bench.call('execute_cell', args, options)

function cellIn(path: string, index: number): CodeCell {
  const cell = readNotebookFile(on.jupyter.root, path).cells[index]
  if (cell?.cell_type !== 'code') throw new Error(`cell ${index} of ${path} is no code cell`)
  return cell
}

test('executes a cell, returns its outputs in order, and writes the same into the notebook', async () => {
  verifies('NB-TOOL-11', 'NB-TOOL-31', 'NB-FILE-1', 'NB-UP-3', 'NB-EXEC-2')
  const source = [
    'import sys',
    'for i in range(3):',
    '    print("out", i, flush=True)',
    '    print("err", i, file=sys.stderr, flush=True)',
    '    display({"text/plain": f"shown {i}"}, raw=True)',
    '40 + 2',
  ].join('\n')
  await on.open('order.ipynb', [markdownCell('m', '# Title'), codeCell('c', source, 'old\n')])
  const reply = await execute({ cell_index: 1 })
  expect(reply.isError).toBe(false)
  const said = [0, 1, 2].flatMap((i) => [`out ${i}\n`, `err ${i}\n`, `shown ${i}`])
  const blocks = reply.content.map((block) => (block.type === 'text' ? block.text : block.type))
  expect(blocks.slice(0, -1)).toEqual([...said, '42'])
  expect(blocks.at(-1)).toMatch(/^\[COMPLETED in \d+\.\ds\]$/)
  expect(reply.structured).toMatchObject({
    notebook_name: 'order.ipynb',
    cell: { index: 1, id: 'c' },
    status: 'ok',
    kernel_id: on.kernelId,
    truncated: false,
    written: true,
    merged: false,
    notes: [],
  })
  const cell = cellIn('order.ipynb', 1)
  const written = cell.outputs.map((output) => {
    if (output.output_type === 'stream') return output.text
    return 'data' in output ? output.data['text/plain'] : output.output_type
  })
  expect(written).toEqual([...said, '42'])
  expect(cell.execution_count).toBe(reply.structured.execution_count)
  expect(cell.outputs.at(-1)).toMatchObject({
    output_type: 'execute_result',
    execution_count: cell.execution_count,
  })
})

describe('what is not run', () => {
  test.each([
    ['a markdown cell', { cell_index: 0 }, /markdown cell, not a code cell/, 'NB-EXEC-5'],
    ['a negative timeout', { cell_index: 1, timeout: -1 }, /cannot be negative/, 'NB-EXEC-4'],
    ['a cell that is not there', { cell_index: 5 }, /out of range/, undefined],
    ['an id that is not there', { cell_id: 'nobody', cell_index: 1 }, /nobody/, undefined],
    ['no cell at all', {}, /cell_index or cell_id/, undefined],
    ['a notebook that is not open', { cell_index: 1, notebook_name: 'other' }, /is not connected/, undefined],
    ['a timeout in words', { cell_index: 1, timeout: 'long' }, /timeout/, undefined],
    ['an unknown parameter', { cell_index: 1, cell: 1 }, /unknown parameter cell/, undefined],
  ] as const)('%s', async (_what, args, sentence, clause) => {
    verifies('NB-REPLY-1', ...(clause ? [clause] : []))
    const ran = join(on.jupyter.root, 'ran')
    await on.open('refused.ipynb', [markdownCell('m', 'text'), codeCell('c', 'open("ran", "w")', 'old\n')])
    const before = cellIn('refused.ipynb', 1)
    const reply = await execute({ notebook_name: 'refused.ipynb', ...args })
    expect(reply.isError).toBe(true)
    expect(reply.text).toMatch(sentence)
    expect(cellIn('refused.ipynb', 1)).toEqual(before)
    expect(() => rmSync(ran)).toThrow(/ENOENT/)
  })

  test('a cell that somebody else has changed since it was read', async () => {
    await on.open('changed.ipynb', [codeCell('c', 'print("harmless")')])
    writeNotebook(on.jupyter.root, 'changed.ipynb', [codeCell('c', 'open("ran", "w")')])
    const reply = await execute({ cell_id: 'c' })
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain('changed by somebody else')
    expect(reply.text).toContain('+open("ran", "w")')
    expect(() => rmSync(join(on.jupyter.root, 'ran'))).toThrow(/ENOENT/)
  })

  test('an empty cell, whose old outputs go', async () => {
    await on.open('empty.ipynb', [codeCell('c', ' \n', 'old\n')])
    const reply = await execute({ cell_index: 0, stream: false })
    expect(reply).toMatchObject({ text: '[No output generated]', isError: false })
    expect(reply.structured).toMatchObject({
      status: 'ok',
      kernel_id: null,
      execution_count: null,
      written: true,
    })
    expect(cellIn('empty.ipynb', 0)).toMatchObject({ outputs: [], execution_count: null })
  })
})

test('an exception is a result, without escape sequences of terminals', async () => {
  verifies('NB-EXEC-9')
  await on.open('error.ipynb', [codeCell('c', 'print("\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07end")\n1 / 0')])
  const reply = await execute({ cell_id: 'c' })
  expect(reply.isError).toBe(false)
  expect(reply.structured).toMatchObject({ status: 'error', written: true })
  expect(reply.text).toContain('red end')
  expect(reply.text).toContain('ZeroDivisionError: division by zero')
  expect(reply.text).not.toContain('\u001b')
  expect(cellIn('error.ipynb', 0).outputs).toMatchObject([
    { output_type: 'stream', text: '\u001b[31mred\u001b[0m \u001b]0;title\u0007end\n' },
    { output_type: 'error', ename: 'ZeroDivisionError' },
  ])
})

test('a cell that prints nothing says so', async () => {
  await on.open('silent.ipynb', [codeCell('c', 'x = 1')])
  expect((await execute({ cell_index: 0 })).text).toMatch(/^\[No output generated\]\n\[COMPLETED in/)
  expect((await execute({ cell_index: 0, stream: false })).text).toBe('[No output generated]')
})

test('takes an explicit null for everything that may be left out', async () => {
  await on.open('nulls.ipynb', [codeCell('c', 'print("fine")')])
  const nothing = { cell_id: null, notebook_name: null, timeout: null, stream: null, progress_interval: null }
  const reply = await execute({ cell_index: 0, ...nothing })
  expect(reply.text).toMatch(/^fine\n\n\[COMPLETED/)
})

test('works in a notebook of an older format, which has no ids', async () => {
  const { id: _, ...cell } = codeCell('c', 'print("old style")')
  await on.open('old.ipynb', [cell, cell], 4)
  const reply = await execute({ cell_index: 1 })
  expect(reply.structured).toMatchObject({ status: 'ok', cell: { index: 1, id: null }, written: true })
  expect(cellIn('old.ipynb', 0).outputs).toEqual([])
  expect(cellIn('old.ipynb', 1).outputs).toMatchObject([{ text: 'old style\n' }])
})

test('a notebook whose cells lack the ids that its format wants gets them, and the reply knows them', async () => {
  const { id: _, ...cell } = codeCell('c', 'print("x" * 100_000)')
  await on.open('mended.ipynb', [cell, { ...cell, source: 'print(2)' }])
  const reply = await execute({ cell_index: 0 })
  const { id } = cellIn('mended.ipynb', 0)
  expect(id).toMatch(/^\w+/)
  expect(reply.structured).toMatchObject({ written: true, merged: false, cell: { index: 0, id } })
  const link = reply.content.find((block) => block.type === 'resource_link')
  expect(link?.uri).toBe(`notebook://mended.ipynb/cells/${id}/outputs/0`)
})

describe('an execution that is stopped', () => {
  const source = 'print("before", flush=True)\nimport time\ntime.sleep(60)'

  test('by its timeout keeps what was printed', async () => {
    verifies('NB-EXEC-3', 'NB-TOOL-31')
    await on.open('slow.ipynb', [codeCell('c', source), codeCell('d', 'print("alive")')])
    const reply = await execute({ cell_id: 'c', timeout: 1 })
    expect(reply.isError).toBe(true)
    expect(reply.structured).toMatchObject({ status: 'timeout', written: true })
    expect(reply.text).toMatch(/^before\n/)
    expect(reply.text).toContain('KeyboardInterrupt')
    expect(reply.text).toMatch(
      /\[TIMEOUT at 1\.\ds: Interrupting execution\]\n\[Sent interrupt signal to kernel\]/,
    )
    expect(cellIn('slow.ipynb', 0).outputs).toMatchObject([
      { text: 'before\n' },
      { output_type: 'error', ename: 'KeyboardInterrupt' },
    ])
    expect((await execute({ cell_id: 'd' })).text).toContain('alive')
  })

  test('by its timeout says so in a reply without a timeline', async () => {
    verifies('NB-TOOL-31')
    await on.open('slow2.ipynb', [codeCell('c', source)])
    const reply = await execute({ cell_id: 'c', timeout: 1, stream: false })
    expect(reply.text).toContain('before\n')
    expect(reply.text).toMatch(/\[TIMEOUT ERROR: Execution exceeded 1 seconds\]$/)
  })

  test('by its caller writes what was printed', async () => {
    await on.open('cancel.ipynb', [codeCell('c', source)])
    const cancel = new AbortController()
    const onprogress = ({ message }: Progress) => message === 'before' && cancel.abort()
    await expect(execute({ cell_id: 'c' }, { signal: cancel.signal, onprogress })).rejects.toThrow()
    await vi.waitFor(
      () =>
        expect(cellIn('cancel.ipynb', 0).outputs).toMatchObject([
          { text: 'before\n' },
          { ename: 'KeyboardInterrupt' },
        ]),
      { timeout: 30_000 },
    )
  })
})

test('tells whoever waits what comes', async () => {
  await on.open('progress.ipynb', [
    codeCell('c', 'import time\nfor i in range(3):\n    print("step", i, flush=True)\n    time.sleep(0.3)'),
  ])
  const told: Progress[] = []
  const onprogress = (progress: Progress) => told.push(progress)
  await execute({ cell_id: 'c', timeout: 50 }, { onprogress })
  const messages = told.map(({ message }) => message)
  expect(messages[0]).toBe('step 0')
  expect(['step 0', 'step 1', 'step 2']).toEqual(expect.arrayContaining(messages))
  expect(told.every(({ total }) => total === 50)).toBe(true)
  const seconds = told.map(({ progress }) => progress)
  expect(seconds).toEqual(seconds.toSorted((one, other) => one - other))
  told.length = 0
  await execute({ cell_id: 'c', progress_interval: 0 }, { onprogress })
  expect(told).toEqual([])
})

describe('with somebody else in the same notebook', () => {
  const waits =
    'import os, time\nprint("ran", flush=True)\nwhile not os.path.exists("go"):\n    time.sleep(0.02)'

  /** Changes the notebook while the cell runs. */
  async function meanwhile(path: string, args: Record<string, unknown>, change: () => unknown) {
    const go = join(on.jupyter.root, 'go')
    rmSync(go, { force: true })
    let changed: unknown
    const onprogress = async ({ message }: Progress) => {
      if (message !== 'ran') return
      changed = await change()
      writeFileSync(go, '')
    }
    const reply = await execute({ notebook_name: path, ...args }, { onprogress })
    return { reply, changed }
  }

  test('an edit elsewhere during the run is kept, and the outputs find their cell', async () => {
    verifies('NB-FILE-2')
    await on.open('shared.ipynb', [markdownCell('m', 'text'), codeCell('c', waits)])
    const { reply } = await meanwhile('shared.ipynb', { cell_index: 1 }, () =>
      writeNotebook(on.jupyter.root, 'shared.ipynb', [
        codeCell('new', 'human = 1'),
        markdownCell('m', 'their text'),
        codeCell('c', `${waits}\n# a remark`),
      ]),
    )
    expect(reply.isError).toBe(false)
    expect(reply.structured).toMatchObject({ cell: { index: 2, id: 'c' }, written: true, merged: true })
    expect(reply.text).toContain('somebody else has changed this notebook')
    const { cells } = readNotebookFile(on.jupyter.root, 'shared.ipynb')
    expect(cells.map((cell) => cell.source)).toEqual(['human = 1', 'their text', `${waits}\n# a remark`])
    expect(cells[2]).toMatchObject({ outputs: [{ text: 'ran\n' }] })
  })

  test.each([
    ['deleted', [markdownCell('m', 'text')], 'deleted or changed'],
    ['executed', [markdownCell('m', 'text'), codeCell('c', waits, 'theirs\n')], 'theirs'],
  ])('outputs of a cell that was %s meanwhile are returned and not written', async (_what, cells, why) => {
    await on.open('lost.ipynb', [markdownCell('m', 'text'), codeCell('c', waits)])
    const { reply } = await meanwhile('lost.ipynb', { cell_id: 'c' }, () => {
      writeNotebook(on.jupyter.root, 'lost.ipynb', cells)
      return readNotebookFile(on.jupyter.root, 'lost.ipynb')
    })
    expect(reply.isError).toBe(true)
    expect(reply.structured).toMatchObject({ status: 'ok', written: false })
    expect(reply.text).toMatch(/^ran\n/)
    expect(reply.text).toContain('[NOT WRITTEN:')
    expect(reply.text).toContain(why)
    const file = readNotebookFile(on.jupyter.root, 'lost.ipynb')
    expect(file.cells.map(({ id }) => id)).toEqual(cells.map(({ id }) => id))
    expect(file.cells[1]?.cell_type === 'code' ? file.cells[1].outputs : []).toMatchObject(
      cells[1] ? [{ text: 'theirs\n' }] : [],
    )
  })

  test('two clients run cells of one notebook, and neither loses outputs', async () => {
    await on.open('both.ipynb', [codeCell('a', 'print("from a")'), codeCell('b', 'print("from b")')])
    const other = await on.bench.connect('tester')
    const [a, b] = await Promise.all([
      execute({ cell_id: 'a', notebook_name: 'both.ipynb' }),
      other.call('execute_cell', { cell_id: 'b', notebook_name: 'both.ipynb' }),
    ])
    expect([a.text, b.text]).toEqual([expect.stringContaining('from a'), expect.stringContaining('from b')])
    expect([a, b].map(({ structured }) => structured.written)).toEqual([true, true])
    expect(cellIn('both.ipynb', 0).outputs).toMatchObject([{ text: 'from a\n' }])
    expect(cellIn('both.ipynb', 1).outputs).toMatchObject([{ text: 'from b\n' }])
  })
})

test('every notebook that was written here is valid', async () => {
  expect(await nbformatFaults(on.jupyter.root)).toBe('')
})
