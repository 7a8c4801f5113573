import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Progress } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeCell, markdownCell, readNotebookFile, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient } from '../fixtures/tool-client.ts'
import {
  type ExecutionBench,
  nbformatFaults,
  printedIn,
  startExecutionBench,
} from './shared/execution-bench.fixture.ts'

const MOST = 4_000

let on: ExecutionBench

beforeAll(async () => {
  on = await startExecutionBench({ maxOutputBytes: MOST })
})

afterAll(async () => {
  await on?.stop()
})

const run = (args: Record<string, unknown>, options?: object) => on.bench.call('run_cells', args, options)

const printed = (path: string) => printedIn(on.jupyter.root, path)

const five = [
  codeCell('a', 'log = ["a"]\nprint("a")'),
  markdownCell('m', 'text'),
  codeCell('b', 'log.append("b"); print("b")'),
  codeCell('c', 'log.append("c"); print("c")'),
  codeCell('d', 'log.append("d"); print(log)'),
]

describe('run_cells', () => {
  test('executes all code cells in order and writes each', async () => {
    verifies('NB-TOOL-21')
    await on.open('all.ipynb', five)
    const told: Progress[] = []
    const reply = await run({}, { onprogress: (progress: Progress) => told.push(progress) })
    expect(reply.isError).toBe(false)
    expect(reply.text).toMatch(/^=====Cell 0 \| status: ok \| execution count: \d+ \| \d+\.\ds=====\na\n/)
    expect(reply.text).toContain("['a', 'b', 'c', 'd']")
    expect(reply.text).toMatch(/\[Ran 4 cell\(s\) in \d+\.\ds: 4 ok\]$/)
    expect(reply.structured).toMatchObject({
      notebook_name: 'all.ipynb',
      cells: [
        { index: 0, id: 'a', status: 'ok', written: true, outputs: [{ text: 'a\n' }] },
        { index: 2, id: 'b', status: 'ok', written: true },
        { index: 3, id: 'c', status: 'ok', written: true },
        { index: 4, id: 'd', status: 'ok', written: true },
      ],
      stopped: null,
      not_run: [],
      merged: false,
    })
    expect(printed('all.ipynb')).toEqual(['a\n', 'b\n', 'c\n', "['a', 'b', 'c', 'd']\n"])
    expect(told[0]).toMatchObject({ progress: 0, total: 4, message: 'cell 0 (1 of 4): started' })
    const steps = told.map(({ progress }) => progress)
    expect(steps).toEqual([...new Set(steps)].toSorted((one, other) => one - other))
  })

  test.each([
    [{ start_index: 2 }, ['b', 'c', 'd']],
    [{ start_index: 0, end_index: 2 }, ['a', 'b']],
    [{ end_index: 0 }, ['a']],
    [{ start_index: 1, end_index: 1 }, []],
    [{ cell_indices: [3, 0] }, ['c', 'a']],
    [{ cell_ids: ['d', 'a'], cell_indices: [1] }, ['d', 'a']],
    [
      {
        start_index: null,
        end_index: null,
        cell_indices: null,
        cell_ids: null,
        stop_on_error: null,
        timeout: null,
        progress_interval: null,
        notebook_name: null,
      },
      ['a', 'b', 'c', 'd'],
    ],
  ])('executes what is chosen by %o', async (choice, ids) => {
    await on.open('some.ipynb', five)
    const reply = await run({ notebook_name: 'some.ipynb', ...choice })
    expect(reply.isError).toBe(false)
    expect(reply.structured).toMatchObject({ cells: ids.map((id) => ({ id, status: 'ok' })), not_run: [] })
  })

  test.each([
    ['a range beyond the end', { end_index: 5 }, /out of range/],
    ['a range that is turned round', { start_index: 3, end_index: 2 }, /start_index 3 is behind end_index 2/],
    ['a negative index', { start_index: -1 }, /start_index/],
    ['a range and a list', { start_index: 0, cell_indices: [0] }, /not both/],
    ['a cell that is no code', { cell_indices: [0, 1] }, /markdown cell, not a code cell/],
    ['an index that is not there', { cell_indices: [0, 9] }, /out of range/],
    ['an id that is not there', { cell_ids: ['a', 'nobody'] }, /nobody/],
    ['a cell twice', { cell_indices: [0, 0] }, /duplicate/],
    ['an empty list', { cell_indices: [] }, /cell_indices/],
    ['a negative timeout', { timeout: -1 }, /cannot be negative/],
    ['a notebook that is not open', { notebook_name: 'x' }, /is not connected/],
  ])('refuses %s, and runs nothing', async (_what, args, sentence) => {
    verifies('NB-REPLY-1')
    await on.open('refused.ipynb', [codeCell('a', 'open("ran", "w")'), ...five.slice(1)])
    const before = readNotebookFile(on.jupyter.root, 'refused.ipynb')
    const reply = await run({ notebook_name: 'refused.ipynb', ...args })
    expect(reply.isError).toBe(true)
    expect(reply.text).toMatch(sentence)
    expect(readNotebookFile(on.jupyter.root, 'refused.ipynb')).toEqual(before)
    expect(existsSync(join(on.jupyter.root, 'ran'))).toBe(false)
  })

  const failing = [codeCell('a', 'print("a")'), codeCell('b', '1 / 0'), codeCell('c', 'print("c")', 'old\n')]

  test('stops at the first exception and says what was not run', async () => {
    await on.open('stop.ipynb', failing)
    const reply = await run({})
    expect(reply.isError).toBe(false)
    expect(reply.structured).toMatchObject({
      cells: [{ status: 'ok' }, { status: 'error' }],
      stopped: { index: 1, id: 'b', reason: 'it raised an exception' },
      not_run: [{ index: 2, id: 'c' }],
    })
    expect(reply.text).toContain('ZeroDivisionError')
    expect(reply.text).toMatch(/\[STOPPED at cell 1: it raised an exception\]\n\[NOT RUN: cell\(s\) 2\]$/)
    expect(printed('stop.ipynb')).toEqual(['a\n', 'error', 'old\n'])
  })

  test('goes on after an exception when told to', async () => {
    await on.open('go-on.ipynb', failing)
    const reply = await run({ stop_on_error: false })
    expect(reply.structured).toMatchObject({
      cells: [{ status: 'ok' }, { status: 'error' }, { status: 'ok' }],
      stopped: null,
    })
    expect(printed('go-on.ipynb')).toEqual(['a\n', 'error', 'c\n'])
  })

  test('stops at a timeout whatever it was told, and keeps what was printed', async () => {
    verifies('NB-EXEC-3')
    const slow = codeCell('b', 'print("b", flush=True)\nimport time\ntime.sleep(60)')
    await on.open('slow.ipynb', [codeCell('a', 'print("a")'), slow, codeCell('c', 'print("c")')])
    const reply = await run({ timeout: 1, stop_on_error: false })
    expect(reply.isError).toBe(true)
    expect(reply.structured).toMatchObject({
      cells: [{ status: 'ok' }, { status: 'timeout', written: true }],
      stopped: { index: 1 },
      not_run: [{ index: 2 }],
    })
    expect(printed('slow.ipynb')).toEqual(['a\n', 'b\nerror', ''])
  })

  test('takes no longer in all than one execution may take', async () => {
    const ids = ['a', 'b', 'c', 'd']
    await on.open(
      'bounded.ipynb',
      ids.map((id) => codeCell(id, 'import time; time.sleep(0.6)')),
    )
    const bench = await startToolClient({ jupyter: on.jupyter, config: { maxExecutionTimeoutSeconds: 2 } })
    try {
      const opened = { notebook_name: 'x', notebook_path: 'bounded.ipynb', kernel_id: on.kernelId }
      await bench.call('use_notebook', opened)
      const reply = await bench.call('run_cells', { timeout: 100 })
      expect(reply.isError).toBe(true)
      expect(reply.text).toMatch(/\[STOPPED at cell \d: .*(?:longer than its timeout|used up)\]/)
    } finally {
      await bench.close()
    }
  })

  test('shares the room of one reply over all cells', async () => {
    verifies('NB-EXEC-7')
    const long = (id: string) => codeCell(id, `print("${id}" * ${MOST})`)
    await on.open('long.ipynb', [codeCell('x', 'print("short")'), long('y'), long('z')])
    const reply = await run({})
    expect(Buffer.byteLength(reply.text)).toBeLessThan(MOST + 1000)
    expect(reply.text).toContain('\nshort\n')
    expect(reply.text).toMatch(/y{500}/)
    expect(reply.text).toMatch(/z{500}/)
    const links = reply.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []))
    expect(links).toEqual([
      'notebook://long.ipynb/cells/y/outputs/0',
      'notebook://long.ipynb/cells/z/outputs/0',
    ])
    const { contents } = await on.bench.client.readResource({ uri: links[1] ?? '' })
    expect(contents).toMatchObject([{ text: `${'z'.repeat(MOST)}\n` }])
    expect(printed('long.ipynb')[2]).toBe(`${'z'.repeat(MOST)}\n`)
  })

  test('does not run a cell that somebody changes while an earlier one runs', async () => {
    const waits = 'import os, time\nprint("on", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.02)'
    const go = join(on.jupyter.root, 'go')
    rmSync(go, { force: true })
    await on.open('race.ipynb', [
      codeCell('a', waits),
      codeCell('b', 'print("b")'),
      codeCell('c', 'print("c")'),
    ])
    const onprogress = ({ message }: Progress) => {
      if (!message?.endsWith(': on')) return
      writeNotebook(on.jupyter.root, 'race.ipynb', [
        codeCell('a', waits),
        codeCell('b', 'open("ran", "w")'),
        codeCell('c', 'print("c")'),
      ])
      writeFileSync(go, '')
    }
    const reply = await run({}, { onprogress })
    expect(reply.isError).toBe(true)
    expect(reply.structured).toMatchObject({
      cells: [{ id: 'a', status: 'ok', written: true }],
      stopped: { index: 1, id: 'b', reason: expect.stringContaining('changed by somebody else') },
      not_run: [{ id: 'b' }, { id: 'c' }],
    })
    expect(existsSync(join(on.jupyter.root, 'ran'))).toBe(false)
    expect(printed('race.ipynb')).toEqual(['on\n', '', ''])
  })
})

test('every notebook that was written here is valid', async () => {
  expect(await nbformatFaults(on.jupyter.root)).toBe('')
})
