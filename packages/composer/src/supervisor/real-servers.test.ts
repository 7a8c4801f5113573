import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Clock, systemClock } from '@quire/mcp/connection/clock'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createCalls } from '../calls/create-calls.ts'
import { createAsker } from '../calls/servers.fixture.ts'
import { startPlainHttp } from '../fixtures/plain-http-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { RemoteDefinition } from '../server-definition.ts'
import { define } from './links.fixture.ts'
import { createPidRecord, sweepLeftovers } from './pid-record.ts'
import { createRealSupervisors, defineRough, isRunning } from './real-servers.fixture.ts'
import { createScratch } from './scratch.fixture.ts'

const WAIT = { timeout: 30_000, interval: 10 }
const { supervise, closeAll } = createRealSupervisors()
let scratch: Awaited<ReturnType<typeof createScratch>>
beforeAll(async () => {
  scratch = await createScratch()
})
afterEach(closeAll)
afterAll(() => scratch.remove())

type Stage = ReturnType<typeof supervise>

async function running({ server }: Stage, name: string): Promise<number> {
  await expect.poll(() => server(name).status().state, WAIT).toBe('running')
  return server(name).status().pid ?? 0
}

/** The ids that a stubborn server tells of itself and of the process it started. */
async function family({ stderr }: Stage, name: string): Promise<{ child: number; grandchild: number }> {
  await expect.poll(() => stderr(name).findLast((line) => line.startsWith('{')), WAIT).toBeDefined()
  return JSON.parse(stderr(name).findLast((line) => line.startsWith('{')) ?? '')
}

test('a server is ready with its tools, and stops without a trace', async () => {
  verifies('CO-SUP-1', 'CO-SUP-2', 'CO-SUP-16', 'CO-SERVER-4')
  const stage = supervise()
  await stage.supervisor.apply([defineRough('a', ['plain'])])
  const pid = await running(stage, 'a')
  expect(isRunning(pid)).toBe(true)
  expect(
    stage
      .server('a')
      .catalog()
      .tools.map(({ name }) => name),
  ).toContain('echo')
  await stage.server('a').stop()
  expect(isRunning(pid)).toBe(false)
  expect(stage.server('a').catalog().tools).toEqual([])
})

test('a killed server fails its calls, comes back, and leaves its neighbour alone', async () => {
  verifies('CO-SUP-12', 'CO-INVOKE-7')
  const stage = supervise()
  const calls = createCalls()
  await stage.supervisor.apply([defineRough('a', ['plain']), defineRough('b', ['plain'])])
  const [pid, neighbour] = await Promise.all([running(stage, 'a'), running(stage, 'b')])
  const hanging = calls.request(stage.server('a'), 'tools/call', { name: 'hang' }, createAsker())
  await expect.poll(() => stage.stderr('a'), WAIT).toContainEqual(expect.stringMatching(/^hanging/))
  process.kill(pid, 'SIGKILL')
  await expect(hanging).rejects.toMatchObject({ code: 'SERVER_LOST', problem: { status: 503 } })
  await expect.poll(() => stage.server('a').status().restartCount, WAIT).toBe(1)
  expect(await running(stage, 'a')).not.toBe(pid)
  expect(stage.server('a').status().lastError).toMatchObject({ signal: 'SIGKILL', exitCode: null })
  const echo = { name: 'echo', arguments: { text: 'again' } }
  const reply = await calls.request(stage.server('a'), 'tools/call', echo, createAsker())
  expect('result' in reply && reply.result.toString()).toContain('again')
  expect(stage.server('b').status()).toMatchObject({ state: 'running', pid: neighbour, restartCount: 0 })
})

test('a server that ends at once is started five times, and then says why not again', async () => {
  verifies('CO-SUP-7', 'CO-SUP-8')
  const stage = supervise()
  const file = scratch.file('ending')
  await stage.supervisor.apply([defineRough('a', ['exits', file])])
  await expect
    .poll(() => stage.server('a').status(), WAIT)
    .toMatchObject({
      state: 'crashed',
      retryInMs: null,
      restartCount: 4,
      lastError: {
        reason: expect.stringMatching(/ended with exit code 7.*started 5 times within 120 s/),
        exitCode: 7,
        stderr: ['first line', 'I cannot go on'],
      },
    })
  expect(stage.events.filter((event) => event.type === 'state' && event.state === 'starting')).toHaveLength(5)
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(5)
})

test('a server that is not there is told of', async () => {
  verifies('CO-SERVER-13')
  const stage = supervise()
  await stage.supervisor.apply([define('a', { autoStart: false, command: ['no-such-program'] })])
  await expect(stage.server('a').start()).rejects.toMatchObject({
    code: 'START_FAILED',
    problem: { status: 500 },
    message: expect.stringContaining('"no-such-program" was not found on PATH'),
  })
})

test('a server that never answers is stopped at once while it starts', async () => {
  const stage = supervise()
  const file = scratch.file('mute')
  await stage.supervisor.apply([defineRough('a', ['mute', file])])
  await expect.poll(() => readFile(file, 'utf8').catch(() => ''), WAIT).toMatch(/^\d+\n$/)
  await stage.server('a').stop()
  expect(stage.server('a').status().state).toBe('stopped')
  expect(isRunning(Number(await readFile(file, 'utf8')))).toBe(false)
})

describe('a server that ignores its end and starts others', () => {
  test('is gone with them after stop', async () => {
    verifies('CO-SUP-16')
    const stage = supervise()
    await stage.supervisor.apply([defineRough('a', ['stubborn'])])
    await running(stage, 'a')
    const { child, grandchild } = await family(stage, 'a')
    await stage.server('a').stop()
    expect(stage.stderr('a')).toContain('SIGTERM ignored')
    expect([child, grandchild].filter(isRunning)).toEqual([])
  })

  test('leaves nobody behind when it is killed', async () => {
    const stage = supervise()
    await stage.supervisor.apply([defineRough('a', ['stubborn'])])
    await running(stage, 'a')
    const { child, grandchild } = await family(stage, 'a')
    process.kill(child, 'SIGKILL')
    await expect.poll(() => stage.server('a').status().restartCount, WAIT).toBe(1)
    expect([child, grandchild].filter(isRunning)).toEqual([])
    await running(stage, 'a')
  })

  test('dies with its composer, and what the record says afterwards harms nobody', async () => {
    verifies('CO-SUP-17')
    const file = scratch.file('pids.json')
    const program = fileURLToPath(new URL('./supervising-program.fixture.ts', import.meta.url))
    const composer = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
    const pids: number[] = []
    try {
      for await (const line of createInterface({ input: composer.stdout })) {
        if (line.startsWith('{')) pids.push(...Object.values<number>(JSON.parse(line)))
        if (line === 'running') break
      }
      expect(pids.map(isRunning)).toEqual([true, true])
      await expect.poll(() => readFile(file, 'utf8').catch(() => ''), WAIT).toContain('stubborn')
    } finally {
      composer.kill('SIGKILL')
    }
    await expect.poll(() => pids.filter(isRunning), WAIT).toEqual([])
    await sweepLeftovers({ file, logger: createSilentLogger() })
  })
})

test('the record follows what runs', async () => {
  const file = scratch.file('record.json')
  const record = createPidRecord({ file, logger: createSilentLogger() })
  const stage = supervise({ record })
  await stage.supervisor.apply([defineRough('a', ['plain'])])
  const pid = await running(stage, 'a')
  await record.settled()
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    processes: [{ name: 'a', pid, pgid: pid }],
  })
  await stage.server('a').stop()
  await record.settled()
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ processes: [] })
})

test('a server that hangs fails its health check and is replaced', async () => {
  const stage = supervise()
  const health = { method: 'ping', tool: undefined, intervalMs: 50, timeoutMs: 500 } as const
  await stage.supervisor.apply([defineRough('a', ['plain'], { health })])
  const pid = await running(stage, 'a')
  process.kill(pid, 'SIGSTOP')
  await expect
    .poll(() => stage.server('a').status(), WAIT)
    .toMatchObject({
      restartCount: 1,
      lastError: { reason: 'did not answer its health check within 0.5 s' },
    })
  expect(isRunning(pid)).toBe(false)
  expect(await running(stage, 'a')).not.toBe(pid)
})

test('a server that grows beyond its memory is ended', async () => {
  const hurried: Clock = {
    now: () => systemClock.now() * 20,
    sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
  }
  const stage = supervise({ clock: hurried })
  const plain = defineRough('a', ['plain'])
  const [node, ...args] = plain.command
  const grow = 'data:text/javascript,globalThis.kept=Buffer.alloc(200*1024*1024,1)'
  await stage.supervisor.apply([
    {
      ...plain,
      command: [node, '--import', grow, ...args],
      readyMs: 600_000,
      maxMemoryBytes: 150 * 1024 * 1024,
      restart: { ...plain.restart, policy: 'never' },
    },
  ])
  const pid = await running(stage, 'a')
  await expect
    .poll(() => stage.server('a').status(), WAIT)
    .toMatchObject({
      state: 'crashed',
      lastError: {
        reason: expect.stringMatching(/it used \d+ MiB of memory, more than its limit of 150 MiB/),
      },
    })
  await expect.poll(() => isRunning(pid), WAIT).toBe(false)
})

test('what it writes to standard error goes to its file too', async () => {
  const logFile = scratch.file('server.log')
  const stage = supervise()
  await stage.supervisor.apply([defineRough('a', ['stubborn'], { logFile, logStderr: false })])
  await running(stage, 'a')
  await expect.poll(() => readFile(logFile, 'utf8').catch(() => ''), WAIT).toContain('"grandchild"')
  expect(stage.stderr('a')).toEqual([])
})

test('a remote that forgets our session is asked again over a new one, and answers', async () => {
  const forgotten = new Set<unknown>()
  const sessions = new Set<string>()
  const remote = await startPlainHttp({
    era: 'legacy',
    intercept({ headers }, response) {
      const session = headers['mcp-session-id']
      if (typeof session === 'string') sessions.add(session)
      if (!forgotten.has(session)) return false
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
      return true
    },
  })
  try {
    const stage = supervise()
    const { name, ...common } = define('a')
    const definition: RemoteDefinition = {
      ...common,
      name,
      transport: 'http',
      url: remote.url,
      headers: {},
      program: undefined,
    }
    await stage.supervisor.apply([definition])
    await running(stage, 'a')
    const calls = createCalls()
    const echo = { name: 'echo', arguments: { text: 'hello' } }
    await calls.request(stage.server('a'), 'tools/call', echo, createAsker())
    for (const session of sessions) forgotten.add(session)
    const reply = await calls.request(stage.server('a'), 'tools/call', echo, createAsker())
    expect('result' in reply && reply.result.toString()).toContain('hello')
    expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: 0, lastError: null })
    await closeAll()
  } finally {
    await remote.close()
  }
})
