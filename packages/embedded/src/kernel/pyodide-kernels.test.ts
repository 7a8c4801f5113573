import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, execute } from './kernel.fixture.ts'
import type { Kernel } from './kernel.ts'
import { createPyodideKernels } from './pyodide-kernels.ts'

const kernels = createPyodideKernels({ logger: createLogger({ level: 'silent', pretty: false }) })

let folder: string
let kernel: Kernel

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-kernel-'))
  kernel = kernels.start({ specName: 'python3', folder, path: '' })
})

afterAll(async () => {
  await kernel?.close()
  await rm(folder, { recursive: true, force: true })
})

test('a kernel answers at once and takes requests while it starts', async () => {
  expect(kernel.state()).toBe('starting')
  const { messages, reply } = await execute(kernel, '1 + 1')
  expect(messages.map(({ header, content }) => [header.msg_type, content.execution_state])).toEqual([
    ['status', 'busy'],
    ['execute_input', undefined],
    ['execute_result', undefined],
    ['execute_reply', undefined],
    ['status', 'idle'],
  ])
  expect(messages[1]?.content).toEqual({ code: '1 + 1', execution_count: 1 })
  expect(messages[2]?.content).toEqual({ execution_count: 1, data: { 'text/plain': '2' }, metadata: {} })
  expect(reply).toMatchObject({ channel: 'shell', content: { status: 'ok', execution_count: 1 } })
  expect(kernel.state()).toBe('idle')
})

test('an unknown kernel is refused by name', () => {
  expect(() => kernels.start({ specName: 'julia', folder, path: '' })).toThrow('"julia"')
})

test('names live from cell to cell, and the folder is the working directory', async () => {
  await writeFile(join(folder, 'helper.py'), 'ANSWER = 42')
  await execute(kernel, 'import helper\nname = "a kernel"')
  const { reply } = await execute(
    kernel,
    'print(name, helper.ANSWER, file=open("made.txt", "w"), flush=True)',
  )
  expect(reply.content).toMatchObject({ status: 'ok' })
  expect(await readFile(join(folder, 'made.txt'), 'utf8')).toBe('a kernel 42\n')
})

test.each([
  ['a value', '[1, 2]', '[1, 2]'],
  ['a value awaited', 'import asyncio\nawait asyncio.sleep(0, "later")', "'later'"],
  ['a quiet value', '5;', undefined],
  ['a quiet value with a remark', '5; # said to nobody', undefined],
  ['a semicolon in a text', '"5;"', "'5;'"],
  ['nothing', 'None', undefined],
  ['an assignment', 'x = 5', undefined],
  ['the last value', '_', "'5;'"],
  ['no code', '', undefined],
  [
    'a broken repr',
    'class B:\n  def __repr__(self): 1 / 0\nB()',
    '<B whose repr() raised ZeroDivisionError>',
  ],
  ['a lone surrogate', '"\\ud800"', "'\\ud800'"],
])('the last expression is the result: %s', async (_name, code, shown) => {
  const { contents, reply } = await execute(kernel, code)
  expect(reply.content).toMatchObject({ status: 'ok' })
  const data = contents('execute_result').map((content) => content.data)
  expect(data).toEqual(shown === undefined ? [] : [{ 'text/plain': shown }])
})

test('silent code says nothing and counts nothing; code outside of the history is not counted', async () => {
  const before = (await execute(kernel, '1')).reply.content.execution_count
  const silent = await execute(kernel, '2', { silent: true })
  expect(silent.contents('execute_input')).toEqual([])
  expect(silent.contents('execute_result')).toEqual([])
  await execute(kernel, '3', { store_history: false })
  expect((await execute(kernel, '4')).reply.content.execution_count).toBe(Number(before) + 1)
})

test('every form in which an object shows itself is sent', async () => {
  const { contents } = await execute(
    kernel,
    `class Rich:
    def __repr__(self): return "rich"
    def _repr_html_(self): return "<b>rich</b>"
    def _repr_markdown_(self): return "**rich**"
    def _repr_svg_(self): return "<svg/>"
    def _repr_png_(self): return b"png", {"width": 3}
    def _repr_latex_(self): return "$r$"
    def _repr_json_(self): return {"a": [1]}
    def _repr_mimebundle_(self, include=None, exclude=None): return {"text/x-own": "own"}
Rich()`,
  )
  expect(contents('execute_result')).toMatchObject([
    {
      data: {
        'text/plain': 'rich',
        'text/html': '<b>rich</b>',
        'text/markdown': '**rich**',
        'image/svg+xml': '<svg/>',
        'image/png': Buffer.from('png').toString('base64'),
        'text/latex': '$r$',
        'application/json': { a: [1] },
        'text/x-own': 'own',
      },
      metadata: { 'image/png': { width: 3 } },
    },
  ])
})

test('what is displayed comes in order with what is printed, and can be updated and cleared', async () => {
  const { messages } = await execute(
    kernel,
    `from IPython.display import HTML, clear_output, display
print("one")
handle = display(HTML("<i>"), display_id="here")
print("two")
handle.update(HTML("<u>"))
clear_output(wait=True)`,
  )
  const said = messages.filter(({ channel }) => channel === 'iopub').slice(2, -1)
  expect(
    said.map(({ header, content }) => [header.msg_type, content.text ?? content.data ?? content.wait]),
  ).toEqual([
    ['stream', 'one\n'],
    ['display_data', { 'text/html': '<i>', 'text/plain': expect.any(String) }],
    ['stream', 'two\n'],
    ['update_display_data', { 'text/html': '<u>', 'text/plain': expect.any(String) }],
    ['clear_output', true],
  ])
  expect(said[1]?.content.transient).toEqual({ display_id: 'here' })
})

test.each([
  ['Python', 'while not go: pass', 'print("first"); go = False'],
  ['a sleep', 'import time\nwhile True: time.sleep(30)', 'print("first")'],
  ['a wait', 'import asyncio\nawait asyncio.sleep(30)', 'print("first")'],
  ['many waits', 'import asyncio\nwhile True: await asyncio.sleep(0)', 'print("first")'],
])(
  'what is printed arrives while the cell runs, and an interrupt ends it: %s',
  async (_name, loop, first) => {
    const printed = Promise.withResolvers<void>()
    const stop = kernel.onMessage(({ content }) => content.text === 'first\n' && printed.resolve())
    const running = execute(kernel, `${first}\n${loop}`)
    const behind = execute(kernel, '1')
    await printed.promise
    stop()
    expect(kernel.state()).toBe('busy')
    await kernel.interrupt()
    const { reply, contents } = await running
    expect(reply.content).toMatchObject({ status: 'error', ename: 'KeyboardInterrupt' })
    expect(contents('error')).toMatchObject([{ ename: 'KeyboardInterrupt' }])
    expect((await behind).reply.content).toEqual({ status: 'aborted' })
    expect((await execute(kernel, 'name')).reply.content).toMatchObject({ status: 'ok' })
  },
)

test('an interrupt asked for by message is answered, also where nothing runs', async () => {
  const { reply } = await ask(kernel, 'interrupt_request', {}, 'control').done
  expect(reply).toMatchObject({ channel: 'control', content: { status: 'ok' } })
  expect((await execute(kernel, '1')).reply.content).toMatchObject({ status: 'ok' })
})

test('a failure comes as notebooks show it', async () => {
  const { reply, contents } = await execute(
    kernel,
    `def divide(x):
    return 1 / x

try:
    divide(0)
except ZeroDivisionError as error:
    raise ValueError("a bad value") from error`,
  )
  const { ename, evalue, traceback } = contents('error')[0] ?? {}
  expect([ename, evalue]).toEqual(['ValueError', 'a bad value'])
  expect(reply.content).toMatchObject({ status: 'error', ename, evalue, traceback })
  const count = reply.content.execution_count
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
  const text = String(Array.isArray(traceback) && traceback.join('\n')).replace(/\x1b\[\d+m/g, '')
  expect(text).toMatch(/^-{75}\nZeroDivisionError +Traceback \(most recent call last\)\n/)
  expect(text).toContain(
    `Cell In[${count}], line 2, in divide()\n      1 def divide(x):\n----> 2     return 1 / x`,
  )
  expect(text).toContain('The above exception was the direct cause')
  expect(text).toMatch(/\nValueError: a bad value$/)
  expect(text).not.toContain('<kernel>')
})

test.each([
  ['bad syntax', 'x ===', 'SyntaxError'],
  ['endless recursion', 'def f(): f()\nf()', 'RecursionError'],
  ['an exit', 'import sys\nsys.exit(3)', 'SystemExit'],
  ['input', 'input("name?")', 'StdinNotImplementedError'],
  ['a password', 'import getpass\ngetpass.getpass()', 'StdinNotImplementedError'],
  ['a text that cannot be had', 'class E(Exception):\n  def __str__(self): 1 / 0\nraise E', 'E'],
  ['memory beyond the limit', 'held = bytearray((1 << 31) - 100)', 'MemoryError'],
  ['a package that is not there', 'import numpy', 'ModuleNotFoundError'],
  ['data that is no JSON', 'display({"text/plain": {1}}, raw=True)', 'ValueError'],
  ['a failure of JavaScript', 'import js\njs.eval("null.x")', 'JsException'],
])('%s is an error of the cell, and the kernel lives on', async (_name, code, ename) => {
  const { reply } = await execute(kernel, code)
  expect(reply.content).toMatchObject({ status: 'error', ename })
  expect((await execute(kernel, 'name')).reply.content).toMatchObject({ status: 'ok' })
})

test('an error gives up the cells behind it, unless asked to go on', async () => {
  const failing = execute(kernel, '1 / 0')
  const given = execute(kernel, 'given = 1')
  await failing
  expect((await given).reply.content).toEqual({ status: 'aborted' })
  const again = execute(kernel, '1 / 0', { stop_on_error: false })
  const kept = execute(kernel, 'kept = 1')
  await again
  expect((await kept).reply.content).toMatchObject({ status: 'ok' })
})

test('expressions of the client are evaluated after the code', async () => {
  const { reply } = await execute(kernel, 'y = 6', { user_expressions: { good: 'y + 1', bad: 'nobody' } })
  expect(reply.content.user_expressions).toMatchObject({
    good: { status: 'ok', data: { 'text/plain': '7' } },
    bad: { status: 'error', ename: 'NameError' },
  })
})

test.each([
  ['kernel_info_request', {}, { protocol_version: '5.3', language_info: { name: 'python' } }],
  ['is_complete_request', { code: 'x = 1' }, { status: 'complete' }],
  ['is_complete_request', { code: 'await x' }, { status: 'complete' }],
  ['is_complete_request', { code: 'def f():' }, { status: 'incomplete', indent: '    ' }],
  ['is_complete_request', { code: 'x ===' }, { status: 'invalid' }],
  [
    'complete_request',
    { code: 'z = nam', cursor_pos: 7 },
    { matches: ['name'], cursor_start: 4, cursor_end: 7 },
  ],
  ['complete_request', { code: 'name.upp', cursor_pos: 8 }, { matches: ['name.upper'], cursor_start: 0 }],
  ['complete_request', { code: '', cursor_pos: 99 }, { matches: [], cursor_start: 0, cursor_end: 0 }],
  [
    'inspect_request',
    { code: 'len(name)', cursor_pos: 2 },
    { found: true, data: { 'text/plain': expect.stringContaining('Signature: len') } },
  ],
  ['inspect_request', { code: 'nobody', cursor_pos: 2 }, { found: false, data: {} }],
  ['history_request', { hist_access_type: 'tail' }, { history: [] }],
  ['comm_info_request', {}, { comms: {} }],
])('%s %j', async (type, content, expected) => {
  const { reply } = await ask(kernel, type, content).done
  expect(reply.header.msg_type).toBe(type.replace('request', 'reply'))
  expect(reply.content).toMatchObject(expected)
})

test('20 MiB of output come whole, in pieces; 20 MiB in one result too', async () => {
  const printed = await execute(kernel, 'for i in range(20): print("x" * ((1 << 20) - 1))')
  expect(printed.stream('stdout')).toHaveLength(20 << 20)
  for (const { text } of printed.contents('stream')) expect(String(text).length).toBeLessThanOrEqual(1 << 16)
  const { contents } = await execute(kernel, 'from IPython.display import HTML\nHTML("x" * (20 << 20))')
  expect(JSON.stringify(contents('execute_result')).length).toBeGreaterThan(20 << 20)
})

test('garbage in the pipe is not taken for a message', async () => {
  const { reply, messages } = await execute(
    kernel,
    `from pyodide.code import run_js
run_js("""(() => {
  const fs = process.getBuiltinModule('fs')
  for (const json of ['no json', '[]', '{"channel":"iopub","type":"shutdown_request","content":{}}', '{"channel":"stdin","type":"input_request","content":{}}', '{"channel":"iopub","type":"stream","content":7}']) {
    const frame = Buffer.alloc(4 + json.length)
    frame.writeUInt32BE(json.length)
    frame.write(json, 4)
    fs.writeSync(4, frame)
  }
})()""")`,
  )
  expect(reply.content).toMatchObject({ status: 'ok' })
  expect(messages.map(({ header }) => header.msg_type)).toEqual([
    'status',
    'execute_input',
    'execute_reply',
    'status',
  ])
})

test('what JavaScript prints is printed by the cell', async () => {
  const { stream } = await execute(kernel, 'import js\njs.console.log("from there")\njs.console.error("too")')
  expect([stream('stdout'), stream('stderr')]).toEqual(['from there\n', 'too\n'])
})
