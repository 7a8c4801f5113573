import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { program } from '../fixtures/connect.ts'
import { eventually, isRunning } from '../fixtures/processes.ts'
import { createWatchedConnections, stderrHas, textOf } from '../fixtures/watched-connections.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-mcp-'))
})
afterAll(() => rm(folder, { recursive: true }))

const { open, openReady, closeAll } = createWatchedConnections()
afterEach(closeAll)

test('the result and the tools are as the server wrote them, over all pages', async () => {
  const { connection } = await openReady(program('rough-server.ts'))
  expect(connection.catalog().tools).toEqual(
    ['echo', 'hang', 'flood', 'burst'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
      extra: { kept: true },
    })),
  )
  expect(await connection.callTool('echo', { a: 1 })).toEqual({
    content: [{ type: 'text', text: '{"a":1}', extra: 1 }],
    structuredContent: { n: 1 },
    _meta: { k: 'v' },
    odd: true,
  })
})

test('a server that ends at the question for its era is started once more, and not asked again', async () => {
  const starts = join(folder, 'starts-dies')
  const { connection } = await openReady(program('rough-server.ts', 'dies-on-probe', starts))
  expect(connection.status().era).toBe('legacy')
  process.kill(connection.status().pid ?? 0, 'SIGKILL')
  await eventually('it is lost', () => connection.status().state !== 'ready')
  await connection.whenReady(10_000)
  expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(3)
})

test('a server that ends without having read the question is started once', async () => {
  const starts = join(folder, 'starts-exits')
  const { connection } = open(program('rough-server.ts', 'exits', starts), { maxReconnects: 0 })
  await expect(connection.whenReady(10_000)).rejects.toThrow('ended with exit code 7')
  expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(1)
})

test('the era that was found before spares the question', async () => {
  const starts = join(folder, 'starts-known')
  const { connection } = await openReady(program('rough-server.ts', 'dies-on-probe', starts), {
    knownEra: 'legacy',
  })
  expect((await readFile(starts, 'utf8')).trim()).toBe(String(connection.status().pid))
})

test('a server that is silent at the question for its era is an old one', async () => {
  const { connection } = await openReady(program('rough-server.ts', 'quiet-on-probe'), {
    timeouts: { connectMs: 2000 },
  })
  expect(connection.status().era).toBe('legacy')
})

test('a server that never answers is given up in time and leaves no process', async () => {
  const starts = join(folder, 'starts-mute')
  const { connection } = open(program('rough-server.ts', 'mute', starts), {
    timeouts: { connectMs: 500 },
    maxReconnects: 0,
  })
  await expect(connection.whenReady(10_000)).rejects.toThrow('not ready within 0.5 seconds')
  expect(connection.status().state).toBe('failed')
  const pid = Number(await readFile(starts, 'utf8'))
  expect(isRunning(pid)).toBe(false)
})

test('kill -9 of the server: the call in flight fails, the next one finds a new process', async () => {
  const { connection } = await openReady(program('rough-server.ts'))
  const hanging = expect(connection.callTool('hang', {})).rejects.toMatchObject({
    fault: 'lost',
    signal: 'SIGKILL',
  })
  process.kill(connection.status().pid ?? 0, 'SIGKILL')
  await hanging
  await expect(connection.callTool('echo', {})).rejects.toMatchObject({
    fault: 'not-ready',
    message: expect.stringContaining('was ended by SIGKILL'),
  })
  expect(await connection.callTool('echo', {}, { waitMs: 10_000 })).toMatchObject({ odd: true })
})

test('a flood ends the server, and is what the call hears', async () => {
  const { connection } = await openReady(program('rough-server.ts'), { maxMessageBytes: 1024 * 1024 })
  const call = connection.callTool('flood', {})
  await expect(call).rejects.toThrow('wrote a line of more than 1048576 bytes')
})

test('garbage and second answers disturb nobody', async () => {
  const { connection } = await openReady(program('rough-server.ts', 'garbage'))
  const answers = await Promise.all([1, 2, 3].map((n) => connection.callTool('echo', { n })))
  expect(answers.map(textOf)).toEqual([1, 2, 3].map((n) => expect.stringContaining(`{\\"n\\":${n}}`)))
})

test('an answer that is nested without end is refused', async () => {
  const { connection } = await openReady(program('rough-server.ts', 'deep'))
  await expect(connection.callTool('echo', {})).rejects.toThrow('nested too deeply')
  await connection.ping()
})

test('a server that asks what we never offered is told so', async () => {
  const watched = await openReady(program('rough-server.ts', 'asks'))
  const { connection } = watched
  await connection.callTool('echo', {})
  await eventually('our answer has come', stderrHas(watched, '-32601'))
  await expect(connection.subscribeResource('memo://one')).rejects.toMatchObject({ fault: 'refused' })
})

test('an answer that comes after the cancellation is dropped', async () => {
  const watched = await openReady(program('rough-server.ts', 'late'))
  const { connection } = watched
  await expect(connection.callTool('hang', {}, { timeoutMs: 50 })).rejects.toMatchObject({ fault: 'timeout' })
  await eventually('the server has answered too late', stderrHas(watched, 'cancelled'))
  expect(textOf(await connection.callTool('echo', { n: 1 }))).toContain('{\\"n\\":1}')
})

test('a program that cannot be started fails for good when it may not be tried again, until it is', async () => {
  const { connection } = open({ type: 'stdio', command: 'no-such-program' }, { maxReconnects: 0 })
  await expect(connection.whenReady(10_000)).rejects.toThrow('"no-such-program" was not found on PATH')
  expect(connection.status()).toMatchObject({ state: 'failed', error: { fault: 'lost' }, pid: null })
  connection.retry()
  await eventually('it has been tried again', () => connection.status().failures === 2)
})

test('the delays between attempts grow, and the clock is ours', async () => {
  const delays: number[] = []
  const { connection } = open(
    { type: 'stdio', command: 'no-such-program' },
    {
      maxReconnects: 4,
      random: () => 0.5,
      clock: {
        now: () => 0,
        async sleep(ms) {
          delays.push(ms)
        },
      },
    },
  )
  await expect(connection.whenReady(10_000)).rejects.toThrow()
  expect(delays).toEqual([500, 1000, 2000, 4000])
})

test('resources are subscribed, again after a restart, and let go', async () => {
  const { connection, events } = await openReady(program('stdio-sample.ts', 'legacy'))
  const updates = () => events.filter(({ type }) => type === 'resource').length
  const unsubscribe = await connection.subscribeResource('memo://one')
  await eventually('an update has come', () => updates() === 1)
  await connection.callTool('die', {}).catch(() => 'expected')
  await eventually('an update has come from the new process', () => updates() === 2)
  expect(events).toContainEqual({ type: 'resource', uri: 'memo://one' })
  unsubscribe()
  unsubscribe()
})

test('closing is idempotent, ends the events, and leaves no process', async () => {
  const { connection, events } = await openReady(program('rough-server.ts'))
  const { pid } = connection.status()
  await Promise.all([connection.close(), connection.close()])
  expect(isRunning(Number(pid))).toBe(false)
  expect(events.at(-1)).toEqual({ type: 'state', state: 'closed' })
  await expect(connection.callTool('echo', {})).rejects.toMatchObject({ fault: 'closed' })
  await expect(connection.whenReady(1000)).rejects.toMatchObject({ fault: 'closed' })
})

test('closing while it connects waits for nothing', async () => {
  const starts = join(folder, 'starts-closing')
  const { connection } = open(program('rough-server.ts', 'mute', starts))
  await eventually('the process has started', () => readFile(starts, 'utf8').then(Boolean, () => false))
  await connection.close()
  expect(isRunning(Number(await readFile(starts, 'utf8')))).toBe(false)
})

test('a program that ends again and again is told of once', async () => {
  const lines: string[] = []
  const logger = createLogger({
    level: 'info',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  })
  const { connection } = open(program('rough-server.ts', 'exits', join(folder, 'starts-again')), {
    logger,
    clock: { now: () => 0, sleep: async () => undefined },
  })
  await expect.poll(() => connection.status().failures).toBeGreaterThan(3)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('an MCP server could not be started')
})
