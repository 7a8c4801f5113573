import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { type ExecutionBench, startExecutionBench } from './shared/execution-bench.fixture.ts'

let on: ExecutionBench

const SETUP = `
import os, json as parser
number = 42
text = "quire" * 100
many = list(range(100_000))
nested = {"k": {"inner": [1, [2, [3]]]}}
huge = 10 ** 100_000
_hidden = 1
def greet(name): "Says hello."
class Hostile:
    def __init__(self): self.secret = [1, 2]
    def __repr__(self): open("touched", "w"); raise RuntimeError("no repr")
    def __getattr__(self, name): open("touched", "w"); raise RuntimeError("no attributes")
    def __len__(self): open("touched", "w"); raise RuntimeError("no length")
hostile = Hostile()
friendly = type("Friendly", (), {"__repr__": lambda self: "I am friendly"})()
frame = type("DataFrame", (), {"__module__": "pandas.core.frame", "shape": (3, 2), "columns": ["a", "b"]})()
class Meta(type):
    __module__ = property(lambda cls: 1 / 0)
odd = Meta("Odd", (), {})()
`

beforeAll(async () => {
  on = await startExecutionBench()
  await on.open('n.ipynb', [codeCell('c', '1')])
  const reply = await on.bench.call('execute_code', { code: SETUP })
  if (reply.structured.status !== 'ok') throw new Error(reply.text)
})

afterAll(async () => {
  await on?.stop()
})

const inspect = (args: Record<string, unknown> = {}) =>
  on.bench.call('inspect_variables', { notebook_name: 'n.ipynb', ...args })
const execute = (code: string) => on.bench.call('execute_code', { code, notebook_name: 'n.ipynb' })

test('shows names, types, sizes and short values', async () => {
  verifies('NB-TOOL-23')
  const reply = await inspect()
  expect(reply.isError).toBe(false)
  const rows = reply.text.split('\n').map((line) => line.split('\t'))
  const row = (name: string) => rows.find(([first]) => first === name)
  expect(rows[0]).toEqual([expect.stringMatching(/^Showing (\d+) of \1 variables$/)])
  expect(row('Name')).toEqual(['Name', 'Type', 'Size', 'Value'])
  expect(row('number')).toEqual(['number', 'int', '', '42'])
  expect(row('text')?.[2]).toMatch(/^length 500, \d+ bytes$/)
  expect(row('many')?.slice(2)).toEqual([expect.stringContaining('length 100000'), '[0, 1, 2, 3, 4, 5, …]'])
  expect(row('nested')?.[3]).toBe("{'k': {'inner': […]}}")
  expect(row('huge')?.[3]).toBe('<int of 332193 bits>')
  expect(row('greet')?.[3]).toBe('<function greet>')
  expect(row('hostile')?.slice(1)).toEqual(['Hostile', '', '<Hostile object>'])
  expect(row('frame')).toEqual(['frame', 'pandas.core.frame.DataFrame', 'shape (3, 2)', "columns 'a', 'b'"])
  expect(row('odd')?.[1]).toBe('unknown')
  expect(row('_hidden')).toBeUndefined()
  expect(row('In')).toBeUndefined()
  expect(row('os')).toBeUndefined()
  expect(reply.text).toMatch(/\nImported modules: os, parser$/)
  expect(reply.structured).toMatchObject({ kernel_id: on.kernelId, modules: ['os', 'parser'] })
  expect((await execute('import os; os.path.exists("touched")')).text).toBe('False')
})

test('leaves nothing behind in the kernel', async () => {
  await execute('before = None')
  await execute('before = set(globals()) | {"before"}')
  const count = Number((await execute('1')).structured.execution_count)
  await inspect()
  await inspect({ name: 'number' })
  const after = await execute(
    "sorted(name for name in set(globals()) - before if name.strip('_i0123456789'))",
  )
  expect(after.text).toBe('[]')
  expect(after.structured.execution_count).toBe(count + 1)
})

test('narrows down by pattern and limit', async () => {
  const some = await inspect({ pattern: 'h*', name: null, limit: null, notebook_name: null, kernel_id: null })
  expect(some.structured).toMatchObject({ variables: [{ name: 'hostile' }, { name: 'huge' }], total: 2 })
  const few = await inspect({ limit: 1, pattern: '?um*', kernel_id: on.kernelId })
  expect(few.structured).toMatchObject({ variables: [{ name: 'number' }], total: 1 })
  const first = await inspect({ limit: 2 })
  expect(first.structured.variables).toHaveLength(2)
  expect(first.text).toContain('raise limit')
  const none = await inspect({ pattern: 'nothing"\\\n*' })
  expect(none.text).toBe('No variables found')
})

describe('one variable in detail', () => {
  test.each([
    ['many', /^many: list \(length 100000, .*\n\[0, 1, .*199, …\]$/s],
    ['friendly', /^friendly: Friendly\nI am friendly$/],
    [
      'hostile',
      /^hostile: Hostile\n<its repr failed: RuntimeError>\n\nAttributes:\nName.*\nsecret\tlist\t.*\[1, 2\]$/s,
    ],
    ['greet', /<function greet>\n\nSays hello\.$/],
    ['number', /^number: int\n42$/],
  ])('%s', async (name, text) => {
    const reply = await inspect({ name })
    expect(reply.isError).toBe(false)
    expect(reply.text).toMatch(text)
  })
})

test.each([
  ['a variable that is not there', { name: 'nobody' }, /nobody.*not found/],
  ['a limit of nothing', { limit: 0 }, /limit/],
  ['a limit without bound', { limit: 100_000 }, /limit/],
  ['a pattern that is no text', { pattern: 7 }, /pattern/],
  ['a negative timeout', { timeout: -1 }, /cannot be negative/],
  ['a notebook that is not open', { notebook_name: 'x' }, /is not connected/],
  ['a kernel that is not there', { kernel_id: 'x' }, /not found/],
])('refuses %s', async (_what, args, sentence) => {
  verifies('NB-REPLY-1')
  const reply = await inspect(args)
  expect(reply.isError).toBe(true)
  expect(reply.text).toMatch(sentence)
})

test('takes an empty text for what was left out', async () => {
  const reply = await inspect({ name: '', pattern: '', kernel_id: '', limit: '1' })
  expect(reply).toMatchObject({ isError: false, text: expect.stringMatching(/^Showing 1 of \d\d/) })
})

test('starts no kernel for a notebook that has none', async () => {
  writeNotebook(on.jupyter.root, 'idle.ipynb', [])
  await on.bench.call('use_notebook', { notebook_name: 'idle', notebook_path: 'idle.ipynb' })
  const reply = await inspect({ notebook_name: 'idle' })
  expect(reply).toMatchObject({ isError: true, text: expect.stringContaining('no kernel yet') })
  const { structured } = await on.bench.call('list_kernels')
  expect(structured.kernels).toHaveLength(1)
})

test('is not fooled by what the code prints', async () => {
  await execute(`
import threading, sys
stop = threading.Event()
def chatter():
    while not stop.wait(0.001): sys.stdout.write("noise"); sys.stdout.flush()
threading.Thread(target=chatter, daemon=True).start()`)
  const reply = await inspect({ pattern: 'number' })
  await execute('stop.set()')
  expect(reply.structured).toMatchObject({ variables: [{ name: 'number', repr: '42' }] })
})

test('says that it knows Python alone', async () => {
  const folder = join(on.jupyter.root, '..', 'data', 'kernels', 'other')
  mkdirSync(folder, { recursive: true })
  const argv = ['/usr/bin/python3', '-m', 'ipykernel_launcher', '-f', '{connection_file}']
  writeFileSync(join(folder, 'kernel.json'), JSON.stringify({ argv, display_name: 'Other', language: 'R' }))
  writeNotebook(on.jupyter.root, 'r.ipynb', [])
  const opened = { notebook_name: 'r', notebook_path: 'r.ipynb', kernel_name: 'other', kernel_id: 'NEW' }
  expect((await on.bench.call('use_notebook', opened)).isError).toBe(false)
  const reply = await inspect({ notebook_name: 'r' })
  expect(reply.isError).toBe(true)
  expect(reply.text).toContain('runs R')
  expect(reply.text).toContain('execute_code')
})
