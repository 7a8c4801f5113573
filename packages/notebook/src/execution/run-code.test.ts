import { getEventListeners } from 'node:events'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createKernelBench,
  follow,
  type KernelBench,
  until,
} from '../upstream/kernel/kernel-bench.fixture.ts'
import type { KernelConnection } from '../upstream/kernel/kernel-connection.ts'
import type { ExecutionResult } from './execution-result.ts'
import { type Progress, type RunOptions, runCode } from './run-code.ts'

let jupyter: Jupyter
let bench: KernelBench
let kernelId: string
let connection: KernelConnection
let interrupts = 0

beforeAll(async () => {
  jupyter = await startJupyter()
  bench = createKernelBench({ url: jupyter.url, token: jupyter.token })
  kernelId = await bench.startKernel()
})

beforeEach(async () => {
  interrupts = 0
  connection = await bench.connect(kernelId)
})

afterEach(() => connection.close())

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

test('outputs are those of a notebook, in the order of the kernel, with its count', async () => {
  verifies('NB-EXEC-2')
  const before = await run('1')
  const result = await run(`
import sys
from IPython.display import display, update_display
for i in range(3): print('out', i, flush=True)
print('err', file=sys.stderr, flush=True)
display('shown', display_id='d')
print('out again', flush=True)
update_display('shown anew', display_id='d')
'result'`)
  const executionCount = (before.executionCount ?? 0) + 1
  expect(result).toEqual({
    status: 'ok',
    outputs: [
      { output_type: 'stream', name: 'stdout', text: 'out 0\nout 1\nout 2\n' },
      { output_type: 'stream', name: 'stderr', text: 'err\n' },
      { output_type: 'display_data', data: { 'text/plain': "'shown anew'" }, metadata: {} },
      { output_type: 'stream', name: 'stdout', text: 'out again\n' },
      {
        output_type: 'execute_result',
        data: { 'text/plain': "'result'" },
        metadata: {},
        execution_count: executionCount,
      },
    ],
    executionCount,
    seconds: expect.any(Number),
    notes: [],
  })
})

test('outputs that the code clears are gone', async () => {
  const code = (wait: string) =>
    `from IPython.display import clear_output\nfor i in range(3):\n  print('state', i, flush=True)\n  ${wait}`
  expect(textOf(await run(code('clear_output(wait=True)')))).toBe('state 2\n')
  expect(textOf(await run(code('clear_output()')))).toBe('')
})

test('an exception is a result, with its traceback', async () => {
  const result = await run('print("before")\nundefined_name')
  expect(result).toMatchObject({ status: 'error', outputs: [{}, { ename: 'NameError' }], notes: [] })
  expect(textOf(result)).toBe('before\n')
})

test('code that reaches its timeout is interrupted once, and what it printed is returned', async () => {
  verifies('NB-EXEC-3')
  const result = await run('import time\nprint("partial", flush=True)\ntime.sleep(60)\nfinished = True', {
    timeoutMs: 500,
  })
  expect(result.status).toBe('timeout')
  expect(textOf(result)).toBe('partial\n')
  expect(result.outputs.at(-1)).toMatchObject({ output_type: 'error', ename: 'KeyboardInterrupt' })
  expect(result.notes).toEqual([
    expect.stringMatching(/^\[TIMEOUT at \d+\.\ds: Interrupting execution\]$/),
    '[Sent interrupt signal to kernel]',
  ])
  expect(result.executionCount).toEqual(expect.any(Number))
  expect(interrupts).toBe(1)
  expect(textOf(await run('print("finished" in globals())'))).toBe('False\n')
})

test('a busy loop is interrupted as well', async () => {
  verifies('NB-EXEC-3')
  expect(await run('while True: pass', { timeoutMs: 500 })).toMatchObject({ status: 'timeout' })
  await connection.whenIdle(AbortSignal.timeout(30_000))
})

test('code that survives its interrupt is left, and keeps the next out until it is stopped', async () => {
  const code = `
import time
print('stubborn', flush=True)
try:
  time.sleep(60)
except KeyboardInterrupt:
  print('no', flush=True)
time.sleep(60)`
  const result = await run(code, { timeoutMs: 500, settleMs: 400 })
  expect(result.status).toBe('timeout')
  expect(textOf(result)).toBe('stubborn\nno\n')
  expect(result.notes.at(-1)).toMatch(/0\.4 s.*still busy.*interrupt_kernel.*restart_notebook/)
  expect(interrupts).toBe(1)
  await expect(run('sent = True', { timeoutMs: 300 })).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringMatching(/Nothing was sent.*interrupt_kernel/),
  })
  await bench.interrupt(kernelId)()
  expect(textOf(await run('print("sent" in globals())'))).toBe('False\n')
})

test('cancelling interrupts, and keeps what was printed', async () => {
  const cancelling = new AbortController()
  const result = await run('import time\nprint("begun", flush=True)\ntime.sleep(60)', {
    signal: cancelling.signal,
    onOutput: () => cancelling.abort(),
  })
  expect(result.status).toBe('cancelled')
  expect(textOf(result)).toBe('begun\n')
  expect(result.notes[0]).toMatch(/^\[CANCELLED at \d+\.\ds: Interrupting execution\]$/)
  expect(interrupts).toBe(1)
  expect(getEventListeners(cancelling.signal, 'abort')).toHaveLength(0)
  await connection.whenIdle(AbortSignal.timeout(30_000))
})

test('what was cancelled before is not sent', async () => {
  const result = await run('sent = "cancelled"', { signal: AbortSignal.abort() })
  expect(result).toMatchObject({ status: 'cancelled', outputs: [], executionCount: null })
  expect(result.notes.at(-1)).toBe('[Nothing was sent to the kernel]')
  expect(textOf(await run('print("sent" in globals())'))).toBe('False\n')
  expect(interrupts).toBe(0)
})

test('an interrupt that fails is told, and the end comes all the same', async () => {
  const result = await run('import time\ntime.sleep(60)', {
    timeoutMs: 400,
    settleMs: 200,
    interrupt: () => Promise.reject(new Error('the server is away')),
  })
  expect(result.status).toBe('timeout')
  expect(result.notes).toContainEqual(expect.stringContaining('could not be sent: the server is away'))
  await bench.interrupt(kernelId)()
})

test('an interrupt that never answers holds nobody up', async () => {
  const result = await run('import time\ntime.sleep(60)', {
    timeoutMs: 400,
    settleMs: 200,
    interrupt: () => new Promise(() => undefined),
  })
  expect(result.status).toBe('timeout')
  await bench.interrupt(kernelId)()
})

test('input cannot be given, which is said', async () => {
  const result = await run('input("name? ")')
  expect(result).toMatchObject({ status: 'error', outputs: [{ ename: 'StdinNotImplementedError' }] })
  expect(result.notes).toEqual([expect.stringMatching(/asked for input.*cannot be given/)])
  const asked = await run('get_ipython().kernel._allow_stdin = True\nprint(repr(input()))')
  expect(textOf(asked)).toBe("''\n")
  expect(asked.notes).toEqual(result.notes)
})

test('code of others is waited for, and never interrupted', async () => {
  const other = await bench.connect(kernelId)
  await other.whenIdle(AbortSignal.timeout(30_000))
  const theirs = follow(other.execute(`${untilFile('others')}\nprint("theirs ended")`))
  await theirs.seen('started')
  await until(() => connection.isBusyElsewhere(), 'it is known to be busy')
  await expect(run('sent = True', { timeoutMs: 400 })).rejects.toMatchObject({
    name: 'ToolError',
    code: 'busy',
  })
  const waiting = run('print("sent" in globals())')
  await touch('others')
  expect(textOf(await waiting)).toBe('False\n')
  expect((await theirs.ended).at(-1)).toMatchObject({ type: 'done', status: 'ok' })
  expect(interrupts).toBe(0)
  await other.close()
})

test('code of our own is waited for too, and what gives up before its turn was never sent', async () => {
  const started = Promise.withResolvers<void>()
  const first = run(`${untilFile('queue')}\nprint("first ended")`, { onOutput: () => started.resolve() })
  await started.promise
  await expect(run('queued = True', { timeoutMs: 400 })).rejects.toMatchObject({
    name: 'ToolError',
    code: 'busy',
    message: expect.stringMatching(/busy with other code, and still was after 0\.4 s\. Nothing was sent\./),
  })
  const cancelling = new AbortController()
  const cancelled = run('queued = True', { signal: cancelling.signal })
  cancelling.abort()
  expect(await cancelled).toMatchObject({
    status: 'cancelled',
    outputs: [],
    notes: ['[Nothing was sent to the kernel]'],
  })
  expect(interrupts).toBe(0)
  const next = run('print("queued" in globals())')
  await touch('queue')
  expect(textOf(await first)).toBe('started\nfirst ended\n')
  expect(textOf(await next)).toBe('False\n')
})

test('code that comes at once is sent one after the other, as it came, without what has given up', async () => {
  const first = run(`turns = ['first']\n${untilFile('turns')}`)
  const second = run('turns.append("second")', { timeoutMs: 400 })
  const third = run('turns.append("third")')
  const fourth = run('turns.append("fourth")\nprint(turns)')
  await expect(second).rejects.toMatchObject({ code: 'busy' })
  await touch('turns')
  expect(await Promise.all([first, third])).toMatchObject([{ status: 'ok' }, { status: 'ok' }])
  expect(textOf(await fourth)).toBe("['first', 'third', 'fourth']\n")
  expect(interrupts).toBe(0)
})

test('200,000 lines are bounded, and the kernel is free afterwards', async () => {
  const result = await run('for i in range(200_000): print("line", i)', { maxBytes: 100_000 })
  expect(result.status).toBe('ok')
  expect(textOf(result).startsWith('line 0\nline 1\n')).toBe(true)
  expect(textOf(result)).toMatch(/\[output cut: \d{7} more bytes were not kept: .*\]\n$/)
  expect(Buffer.byteLength(JSON.stringify(result.outputs))).toBeLessThan(120_000)
  expect(connection.state()).toBe('idle')
})

test('progress and outputs are told while the code runs', async () => {
  const progress: Progress[] = []
  let text = ''
  await run(`${untilFile('progress')}`, {
    progressIntervalMs: 50,
    onOutput(output) {
      if (output.output_type === 'stream') text += output.text
    },
    onProgress(update) {
      progress.push(update)
      if (update.newest === 'started') void touch('progress')
    },
  })
  expect(text).toBe('started\n')
  expect(progress.at(-1)).toMatchObject({ outputs: 1, newest: 'started' })
})

test('code that is lost leaves what was printed, and the reason', async () => {
  const result = await run('import time\nprint("last words", flush=True)\ntime.sleep(60)', {
    onOutput: () => void connection.close(),
  })
  await bench.interrupt(kernelId)()
  expect(result.status).toBe('lost')
  expect(textOf(result)).toBe('last words\n')
  expect(result.notes).toEqual([expect.stringMatching(/^The connection to the kernel was closed/)])
})

test('no timers and no listeners are left behind', async () => {
  const signal = new AbortController().signal
  await connection.whenIdle(AbortSignal.timeout(30_000))
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  for (let index = 0; index < 20; index += 1) {
    await run('1', { signal, onProgress: () => undefined })
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  await until(() => timers() <= before, 'the timers are gone')
})

function run(code: string, options: Partial<RunOptions> = {}): Promise<ExecutionResult> {
  const interrupt = async () => {
    interrupts += 1
    await bench.interrupt(kernelId)()
  }
  return runCode({ connection, interrupt, code, timeoutMs: 15_000, ...options })
}

function textOf({ outputs }: ExecutionResult): string {
  return outputs.map((output) => (output.output_type === 'stream' ? output.text : '')).join('')
}

function untilFile(name: string): string {
  return `import os, time\nprint('started', flush=True)\nwhile not os.path.exists('${jupyter.root}/${name}'): time.sleep(0.02)`
}

async function touch(name: string): Promise<void> {
  const body = { type: 'file', format: 'text', content: '' }
  await bench.server.request('PUT', ['api', 'contents', name], { body })
}
