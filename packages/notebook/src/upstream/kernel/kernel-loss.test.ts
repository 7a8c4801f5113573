import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKernelBench, type Followed, follow, type KernelBench, textOf } from './kernel-bench.fixture.ts'
import type { KernelConnection } from './kernel-connection.ts'

let jupyter: Jupyter
let bench: KernelBench
let kernelId: string
let connection: KernelConnection

beforeAll(async () => {
  // How often it looks whether a kernel has died, and how long it waits for one to end: every three seconds, and five, otherwise.
  jupyter = await startJupyter({
    extraArgs: ['--KernelRestarter.time_to_dead=0.2', '--KernelManager.shutdown_wait_time=1'],
  })
  bench = createKernelBench({ url: jupyter.url, token: jupyter.token })
  kernelId = await bench.startKernel()
  connection = await bench.connect(kernelId, { silenceMs: 1_000 })
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

// A server interrupts a kernel before it ends it: code that hears that may say how it ended before anybody says that its kernel is gone.
const LONG = `import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("started", flush=True)
time.sleep(60)`

test('a kernel that dies under the code is said to have died, and serves again', async () => {
  const run = await start(`import os, time
print("started", flush=True)
while not os.path.exists("die"): time.sleep(0.05)
os.kill(os.getpid(), 9)`)
  const queued = follow(connection.execute('print("queued")'))
  await writeFile(join(jupyter.root, 'die'), '')
  expect((await run.ended).at(-1)).toEqual({
    type: 'lost',
    reason: 'died',
    message: expect.stringMatching(/^The kernel died.*started it again.*variables are lost/),
  })
  expect(textOf(run.events)).toBe('started\n')
  expect((await queued.ended).at(-1)).toMatchObject({ type: 'lost', reason: 'died' })
  expect(connection.state()).toBe('restarting')
  // What was queued may have stayed with the server, which hands it to the next kernel.
  await serves([1, 2])
})

test('a kernel that somebody else restarts is said to have been restarted, and serves again', async () => {
  const run = await start(LONG)
  await bench.server.request('POST', ['api', 'kernels', kernelId, 'restart'])
  expect((await run.ended).at(-1)).toEqual({
    type: 'lost',
    reason: 'restarted',
    message: expect.stringMatching(/was restarted.*variables are lost/),
  })
  await serves()
})

test('a kernel that does not say goodbye is found out all the same', async () => {
  // Without its messages about its end, as kernels in other languages do it.
  const mute =
    'get_ipython().kernel.session.send = lambda *args, **kwargs: None\nopen("muted", "w").close()\n'
  const run = await start(`import time\nprint("started", flush=True)\ntime.sleep(0.2)\n${mute}time.sleep(60)`)
  await expect.poll(() => existsSync(join(jupyter.root, 'muted'))).toBe(true)
  await bench.server.request('POST', ['api', 'kernels', kernelId, 'restart'])
  expect((await run.ended).at(-1)).toMatchObject({ type: 'lost', reason: 'restarted' })
  await serves()
})

test('code whose last messages are dropped on their way ends all the same', async () => {
  const run = await start(`
kernel = get_ipython().kernel
send = kernel.session.send
def drop_the_end(stream, message, content=None, *args, **kwargs):
  if message == 'status' and content['execution_state'] == 'idle':
    kernel.session.send = send
  elif message != 'error':
    return send(stream, message, content, *args, **kwargs)
kernel.session.send = drop_the_end
print('started', flush=True)
1/0`)
  const events = await run.ended
  expect(events.slice(-3)).toEqual([
    {
      type: 'output',
      output: expect.objectContaining({ text: expect.stringContaining('outputs were lost') }),
    },
    { type: 'output', output: expect.objectContaining({ ename: 'ZeroDivisionError' }) },
    expect.objectContaining({ type: 'done', status: 'error' }),
  ])
  expect(connection.state()).toBe('idle')
})

test('a kernel that somebody else shuts down is said to be gone, and takes nothing more', async () => {
  const idle = await bench.connect(kernelId)
  await idle.whenIdle(AbortSignal.timeout(30_000))
  const run = await start(LONG)
  await bench.server.request('DELETE', ['api', 'kernels', kernelId])
  expect((await run.ended).at(-1)).toEqual({
    type: 'lost',
    reason: 'gone',
    message: expect.stringMatching(/is gone: it was shut down or culled.*variables are lost/),
  })
  expect(connection.state()).toBe('dead')
  for (const either of [connection, idle]) {
    const late = follow(either.execute('print("late")')).ended
    const error = {
      name: 'ToolError',
      code: 'dead_kernel',
      message: expect.stringContaining('Nothing was sent'),
    }
    await expect(late).rejects.toMatchObject(error)
  }
  await expect(connection.whenIdle(AbortSignal.timeout(30_000))).rejects.toMatchObject({
    code: 'dead_kernel',
  })
})

test('a server that restarts takes its kernels with it', async () => {
  kernelId = await bench.startKernel()
  connection = await bench.connect(kernelId)
  const run = await start(LONG)
  await jupyter.restart()
  expect((await run.ended).at(-1)).toMatchObject({ type: 'lost', reason: 'gone' })
  expect(textOf(run.events)).toBe('started\n')
  const late = follow(connection.execute('print("late")')).ended
  await expect(late).rejects.toMatchObject({ code: 'dead_kernel' })
})

async function start(code: string): Promise<Followed> {
  const run = follow(connection.execute(code))
  await run.seen('started')
  return run
}

async function serves(executionCounts = [1]): Promise<void> {
  await connection.whenIdle(AbortSignal.timeout(30_000))
  const events = await follow(connection.execute('print("here")')).ended
  expect(textOf(events)).toBe('here\n')
  expect(events.at(-1)).toEqual({
    type: 'done',
    status: 'ok',
    executionCount: expect.toBeOneOf(executionCounts),
  })
}
