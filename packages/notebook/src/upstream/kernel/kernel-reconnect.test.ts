import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { isRecord } from '../../document/json.ts'
import { ToolError } from '../../tool-error.ts'
import type { JupyterServer } from '../server.ts'
import type { KernelConnectionOptions } from './create-kernel-connection.ts'
import {
  createKernelBench,
  type Followed,
  follow,
  type KernelBench,
  textOf,
  until,
} from './kernel-bench.fixture.ts'
import type { KernelConnection } from './kernel-connection.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.fixture.ts'

let jupyter: Jupyter
let proxy: TcpProxy
/** Through the proxy. */
let bench: KernelBench
/** Past it. */
let direct: KernelBench
let kernelId: string
let run = 0

beforeAll(async () => {
  jupyter = await startJupyter()
  proxy = await startTcpProxy(jupyter.port)
  direct = createKernelBench({ url: jupyter.url, token: jupyter.token })
  kernelId = await direct.startKernel()
})

beforeEach(() => {
  run += 1
  proxy.mend()
  bench = createKernelBench({ url: `http://127.0.0.1:${proxy.port}`, token: jupyter.token })
})

afterEach(() => bench.close())

afterAll(async () => {
  await direct?.close()
  await proxy?.close()
  await jupyter?.stop()
})

test('a connection that breaks under running code is made again, and what may be missing is said', async () => {
  verifies('NB-EXEC-1', 'NB-EXEC-2')
  const { followed } = await start(counting(5))
  proxy.cut()
  const events = await followed.ended
  expectWholeOrSaid(events, 5)
  expect(events.at(-1)).toMatchObject({ type: 'done', status: 'ok' })
  expect(new Set(bench.sessions).size).toBe(1)
  expect(bench.sessions).toHaveLength(2)
  expect(await timesRun()).toBe(1)
})

test('code that ends while the connection is down comes back whole', async () => {
  verifies('NB-EXEC-1')
  const { followed } = await start(counting(5))
  proxy.cut({ refuse: true })
  await until(async () => (await timesRun('ended')) === 1, 'the code ended')
  proxy.mend()
  const events = await followed.ended
  expect(textOf(events)).toBe('0\n1\n2\n3\n4\n')
  expect(reconnections(events)).toEqual([false])
  expect(await timesRun()).toBe(1)
})

test('where another client is connected the server keeps nothing, and what may be missing is said', async () => {
  verifies('NB-EXEC-1')
  const other = await direct.connect(kernelId)
  const { followed } = await start(counting(5))
  proxy.cut({ refuse: true })
  await until(async () => (await timesRun('ended')) === 1, 'the code ended')
  proxy.mend()
  const events = await followed.ended
  await other.close()
  expect(textOf(events)).not.toContain('4')
  expect(reconnections(events)).toEqual([true])
  expect(events.at(-1)).toMatchObject({ type: 'done', status: 'ok' })
  expect(await timesRun()).toBe(1)
})

test('several breaks under one execution', async () => {
  verifies('NB-EXEC-1')
  const { followed } = await start(counting(9))
  for (const text of ['0\n', '2\n', '5\n']) {
    await followed.seen(text)
    const opened = bench.protocols.length
    proxy.cut()
    await until(() => bench.protocols.length > opened, 'it is back')
  }
  const events = await followed.ended
  expectWholeOrSaid(events, 9)
  expect(await timesRun()).toBe(1)
})

test('after a handshake that failed another session is used, and the end of the code is found by asking', async () => {
  verifies('NB-EXEC-1')
  const sessions: (string | undefined)[] = []
  let failures = 0
  const server: JupyterServer = {
    ...bench.server,
    async openSocket(path, options) {
      sessions.push(options.query?.session_id)
      if (sessions.length === 2 && ++failures) throw new ToolError('failing', 'not now')
      return bench.server.openSocket(path, options)
    },
  }
  const { followed } = await start(counting(6), { server })
  proxy.cut()
  const events = await followed.ended
  expect(failures).toBe(1)
  expect(sessions).toEqual([sessions[0], sessions[0], sessions[2]])
  expect(sessions[2]).not.toBe(sessions[0])
  expectWholeOrSaid(events, 6)
  expect(events.at(-1)).toMatchObject({ type: 'done', status: 'ok' })
  expect(await timesRun()).toBe(1)
})

test('a server that stays away ends the waiting', async () => {
  verifies('NB-EXEC-1')
  const { followed, connection } = await start(counting(2), { reconnectMs: 600 })
  proxy.cut({ refuse: true })
  expect((await followed.ended).at(-1)).toEqual({
    type: 'lost',
    reason: 'disconnected',
    message: expect.stringMatching(/could not be made again.*not known.*not sent again/),
  })
  expect(textOf(followed.events)).toContain('0\n')
  await until(async () => (await timesRun('ended')) === 1, 'the code ended')
  proxy.mend()
  await connection.whenIdle(AbortSignal.timeout(30_000))
  expect(textOf(await follow(connection.execute('print("again")')).ended)).toBe('again\n')
  expect(await timesRun()).toBe(1)
})

test('an idle connection that breaks is opened anew at the next use, under another session', async () => {
  const connection = await bench.connect(kernelId)
  proxy.cut()
  await until(() => connection.state() === 'unknown', 'the break is noticed')
  expect(textOf(await follow(connection.execute('print("fresh")')).ended)).toBe('fresh\n')
  expect(new Set(bench.sessions).size).toBe(2)
})

test('a peer that fell silent under running code is noticed and left', async () => {
  verifies('NB-EXEC-1')
  const { followed } = await start(counting(3), { keepAliveMs: 500 })
  proxy.freeze()
  const events = await followed.ended
  expectWholeOrSaid(events, 3)
  expect(events.at(-1)).toMatchObject({ type: 'done', status: 'ok' })
  expect(await timesRun()).toBe(1)
})

test('a peer that fell silent while nothing ran gets no code', async () => {
  verifies('NB-EXEC-1')
  let later = 0
  const connection = await bench.connect(kernelId, {
    now: () => performance.now() + later,
    keepAliveMs: 1_000,
  })
  await connection.whenIdle(AbortSignal.timeout(30_000))
  proxy.freeze()
  later = 60_000
  const events = await follow(connection.execute(counting(1))).ended
  expect(textOf(events)).toBe('0\n')
  expect(await timesRun()).toBe(1)
  expect(bench.sessions).toHaveLength(2)
})

test('a kernel that was restarted meanwhile is told from one that went on', async () => {
  const { followed } = await start(counting(600))
  proxy.cut({ refuse: true })
  await direct.server.request('POST', ['api', 'kernels', kernelId, 'restart'])
  proxy.mend()
  expect((await followed.ended).at(-1)).toMatchObject({ type: 'lost', reason: 'restarted' })
})

test('a kernel that was shut down meanwhile is gone', async () => {
  const { followed, connection } = await start(counting(600))
  proxy.cut({ refuse: true })
  await direct.server.request('DELETE', ['api', 'kernels', kernelId])
  proxy.mend()
  expect((await followed.ended).at(-1)).toMatchObject({ type: 'lost', reason: 'gone' })
  expect(connection.state()).toBe('dead')
  kernelId = await direct.startKernel()
})

/** Writes down that it began and that it ended, and counts aloud in between. */
function counting(to: number): string {
  return [
    'import time',
    `write = lambda word: print(word, file=open('${journal()}', 'a'), flush=True)`,
    "write('began')",
    `for i in range(${to}):`,
    '  print(i, flush=True)',
    '  time.sleep(0.1)',
    "write('ended')",
  ].join('\n')
}

function journal(): string {
  return join(jupyter.root, `journal-${run}`)
}

async function timesRun(word: 'began' | 'ended' = 'began'): Promise<number> {
  const text = await readFile(journal(), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line === word).length
}

async function start(
  code: string,
  options: Partial<KernelConnectionOptions> = {},
): Promise<{ followed: Followed; connection: KernelConnection }> {
  const connection = await bench.connect(kernelId, options)
  await connection.whenIdle(AbortSignal.timeout(30_000))
  // The server asks a kernel that gets a new client questions of its own. Late answers would make it take a busy kernel for an idle one.
  await isQuiet()
  const followed = follow(connection.execute(code))
  await followed.seen('0\n')
  return { followed, connection }
}

async function isQuiet(): Promise<void> {
  let last: unknown
  let times = 0
  await until(async () => {
    const kernel = await direct.server.request('GET', ['api', 'kernels', kernelId])
    const activity = isRecord(kernel) ? kernel.last_activity : undefined
    times = activity === last ? times + 1 : 0
    last = activity
    return times >= 10
  }, 'the kernel is quiet')
}

/** A server that notices a break later than we do keeps nothing for us. */
function expectWholeOrSaid(events: Followed['events'], to: number): void {
  const whole = Array.from({ length: to }, (_, index) => `${index}\n`).join('')
  expect(reconnections(events)).toHaveLength(1)
  expect(textOf(events) === whole || reconnections(events)[0]).toBe(true)
}

function reconnections(events: Followed['events']): boolean[] {
  return events.flatMap((event) => (event.type === 'reconnected' ? [event.mayMissOutputs] : []))
}
