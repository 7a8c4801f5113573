import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ToolError } from '../../tool-error.ts'
import type { ExecutionEvent } from './execution-event.ts'
import { createKernelBench, follow, type KernelBench, textOf, until } from './kernel-bench.fixture.ts'
import type { KernelConnection } from './kernel-connection.ts'
import { V1_PROTOCOL } from './wire-v1.ts'

let jupyter: Jupyter
let bench: KernelBench
let kernelId: string

beforeAll(async () => {
  jupyter = await startJupyter({ password: 'kernel-pass-0123456789' })
  bench = createKernelBench({ url: jupyter.url, token: jupyter.token })
  kernelId = await bench.startKernel()
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

const MIXED = `
import sys
from IPython.display import clear_output, display, update_display
print('one', flush=True)
print('two', file=sys.stderr, flush=True)
display('three', display_id='d')
print('four', flush=True)
update_display('three again', display_id='d')
clear_output(wait=True)
clear_output()
kernel = get_ipython().kernel
kernel.session.send(kernel.iopub_socket, 'display_data', {'data': {'text/plain': 'five'}, 'metadata': {}, 'transient': {}}, parent=kernel.get_parent(), buffers=[b'\\x00\\xff'])
6
`

describe.each(['v1', 'json'] as const)('over %s frames', (protocol) => {
  let connection: KernelConnection

  beforeAll(async () => {
    connection = await bench.connect(kernelId, { protocol })
  })

  test('the server speaks what was agreed', () => {
    expect(bench.protocols.at(-1)).toBe(protocol === 'v1' ? V1_PROTOCOL : '')
  })

  test('events come in the order of the kernel, with its own execution count', async () => {
    verifies('NB-EXEC-2', 'NB-UP-3', 'NB-TOKEN-2')
    const before = countOf(await follow(connection.execute('1')).ended)
    const events = await follow(connection.execute(MIXED)).ended
    const count = before + 1
    expect(joined(events)).toEqual([
      { type: 'started', executionCount: count },
      stream('stdout', 'one\n'),
      stream('stderr', 'two\n'),
      { type: 'output', displayId: 'd', output: display("'three'") },
      stream('stdout', 'four\n'),
      { type: 'update_display', displayId: 'd', data: { 'text/plain': "'three again'" }, metadata: {} },
      { type: 'clear', wait: true },
      { type: 'clear', wait: false },
      { type: 'output', output: display('five') },
      { type: 'output', output: { ...display('6'), output_type: 'execute_result', execution_count: count } },
      { type: 'done', status: 'ok', executionCount: count },
    ])
  })

  test('an error comes with its traceback', async () => {
    const events = await follow(connection.execute('def broken():\n  return 1/0\nbroken()')).ended
    const output = events.flatMap((event) => (event.type === 'output' ? [event.output] : []))
    expect(output).toEqual([
      {
        output_type: 'error',
        ename: 'ZeroDivisionError',
        evalue: 'division by zero',
        traceback: expect.arrayContaining([expect.stringContaining('broken')]),
      },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'done', status: 'error' })
  })

  test('code that is not stored leaves the execution count alone', async () => {
    const before = countOf(await follow(connection.execute('1')).ended)
    await follow(connection.execute('2', { storeHistory: false })).ended
    expect(countOf(await follow(connection.execute('3')).ended)).toBe(before + 1)
  })

  test('many executions at once keep their outputs apart, and an error stops none of them', async () => {
    const all = Array.from({ length: 20 }, (_, index) =>
      follow(
        connection.execute(
          `for i in range(3): print(${index}, i, flush=True)\n${index % 5 === 0 ? '1/0' : ''}`,
        ),
      ),
    )
    const ends = await Promise.all(all.map(({ ended }) => ended))
    for (const [index, events] of ends.entries()) {
      expect(textOf(events)).toBe(`${index} 0\n${index} 1\n${index} 2\n`)
      expect(events.at(-1)).toMatchObject({ status: index % 5 === 0 ? 'error' : 'ok' })
    }
    const counts = ends.map(countOf)
    expect(counts).toEqual(counts.map((_, index) => (counts[0] ?? 0) + index))
  })

  test('code that cannot be encoded is sent as well as it can', async () => {
    const events = await follow(connection.execute('print(len("\ud800x"))')).ended
    expect(textOf(events)).toBe('2\n')
  })

  test('input is refused: the code gets an error, and a kernel that asks all the same gets an empty line', async () => {
    const refused = await follow(connection.execute('input("name? ")')).ended
    expect(JSON.stringify(refused)).toContain('StdinNotImplementedError')
    const asked = await follow(
      connection.execute('get_ipython().kernel._allow_stdin = True\nprint(repr(input("name? ")))'),
    ).ended
    expect(asked).toContainEqual({ type: 'input_refused', prompt: 'name? ' })
    expect(textOf(asked)).toBe("''\n")
  })
})

test('a password serves sockets as well', async () => {
  verifies('NB-LOGIN-3')
  const withPassword = createKernelBench({ url: jupyter.url, password: jupyter.password })
  try {
    const connection = await withPassword.connect(kernelId)
    expect(textOf(await follow(connection.execute('print("hello")')).ended)).toBe('hello\n')
  } finally {
    await withPassword.close()
  }
})

test('a wrong token gets no connection', async () => {
  verifies('NB-TOKEN-2')
  const stranger = createKernelBench({ url: jupyter.url, token: 'not-the-token-0123456789' })
  try {
    await expect(stranger.connect(kernelId)).rejects.toMatchObject({ code: 'refused' })
  } finally {
    await stranger.close()
  }
})

test('a kernel that does not exist is not found', async () => {
  const opening = bench.connect('00000000-0000-4000-8000-000000000000')
  await expect(opening).rejects.toMatchObject({ name: 'ToolError', code: 'not_found' })
})

test('two connections to one kernel know who keeps it busy', async () => {
  const [first, second] = await Promise.all([bench.connect(kernelId), bench.connect(kernelId)])
  await Promise.all([first.whenIdle(deadline()), second.whenIdle(deadline())])
  const run = follow(first.execute(pausing('go')))
  await run.seen('started')
  await until(() => second.state() === 'busy', 'the second knows')
  expect([first.state(), first.isBusyElsewhere(), second.isBusyElsewhere()]).toEqual(['busy', false, true])
  const third = await bench.connect(kernelId)
  expect([third.state(), third.isBusyElsewhere()]).toEqual(['busy', true])
  const idle = [second.whenIdle(deadline()), third.whenIdle(deadline())]
  const impatient = new AbortController()
  const waiting = second.whenIdle(impatient.signal)
  impatient.abort(new Error('no more'))
  await expect(waiting).rejects.toThrow('no more')
  await go('go')
  await Promise.all(idle)
  await until(
    () => [second, third].every((connection) => !connection.isBusyElsewhere()),
    'nobody keeps it busy',
  )
  expect((await run.ended).at(-1)).toMatchObject({ type: 'done' })
})

test('a reader that leaves lets the code run on, which then counts as somebody else’s', async () => {
  const connection = await bench.connect(kernelId)
  await connection.whenIdle(deadline())
  const leaving = new AbortController()
  const run = follow(connection.execute(`${pausing('leave')}\nleft = 'ran on'`, { signal: leaving.signal }))
  await run.seen('started')
  leaving.abort()
  const events = await run.ended
  expect(events.at(-1)?.type).toBe('output')
  expect(connection.isBusyElsewhere()).toBe(true)
  await go('leave')
  await connection.whenIdle(deadline())
  expect(connection.isBusyElsewhere()).toBe(false)
  expect(textOf(await follow(connection.execute('print(left)')).ended)).toBe('ran on\n')
})

test('nothing is sent after the signal has aborted, nor after closing', async () => {
  const connection = await bench.connect(kernelId)
  const aborted = connection.execute('aborted = True', { signal: AbortSignal.abort(new Error('too late')) })
  await expect(follow(aborted).ended).rejects.toThrow('too late')
  await connection.close()
  await connection.close()
  const closed = follow(connection.execute('closed = True')).ended
  await expect(closed).rejects.toThrow(ToolError)
  const other = await bench.connect(kernelId)
  const looked = await follow(other.execute('print("aborted" in globals(), "closed" in globals())')).ended
  expect(textOf(looked)).toBe('False False\n')
})

test('closing ends what is being read', async () => {
  const connection = await bench.connect(kernelId)
  const run = follow(connection.execute(pausing('close')))
  await run.seen('started')
  await connection.close()
  expect((await run.ended).at(-1)).toMatchObject({ type: 'lost', reason: 'disconnected' })
  await go('close')
})

/** Code that runs until it is told to go on, with a file in the server's folder. */
function pausing(name: string): string {
  return `import os, time\nprint('started', flush=True)\nwhile not os.path.exists('${jupyter.root}/${name}'): time.sleep(0.02)`
}

async function go(name: string): Promise<void> {
  await bench.server.request('PUT', ['api', 'contents', name], {
    body: { type: 'file', format: 'text', content: '' },
  })
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(30_000)
}

function stream(name: 'stdout' | 'stderr', text: string): ExecutionEvent {
  return { type: 'output', output: { output_type: 'stream', name, text } }
}

function display(text: string) {
  return { output_type: 'display_data', data: { 'text/plain': text }, metadata: {} } as const
}

/** A kernel may send one line in two pieces. */
function joined(events: readonly ExecutionEvent[]): ExecutionEvent[] {
  const whole: ExecutionEvent[] = []
  for (const event of events) {
    const before = whole.at(-1)
    const isRest =
      before?.type === 'output' &&
      event.type === 'output' &&
      before.output.output_type === 'stream' &&
      event.output.output_type === 'stream' &&
      before.output.name === event.output.name
    if (isRest) whole.splice(-1, 1, stream(before.output.name, before.output.text + event.output.text))
    else whole.push(event)
  }
  return whole
}

function countOf(events: readonly ExecutionEvent[]): number {
  const last = events.at(-1)
  return last?.type === 'done' ? (last.executionCount ?? -1) : -1
}
