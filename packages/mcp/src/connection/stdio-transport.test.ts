import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { program, TEST_ENVIRONMENT } from '../fixtures/connect.ts'
import { eventually, isRunning } from '../fixtures/processes.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createStdioTransport, type StdioServer, type StdioTransport } from './stdio-transport.ts'

const opened: StdioTransport[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((transport) => transport.close()))
})

function open(server: StdioServer, maxLineBytes?: number, onLine?: (line: Buffer) => boolean) {
  const messages: JSONRPCMessage[] = []
  const transport = createStdioTransport(server, {
    environment: TEST_ENVIRONMENT,
    logger: createSilentLogger(),
    maxLineBytes,
    onLine,
    stopTimes: { endMs: 100, terminateMs: 100 },
  })
  opened.push(transport)
  transport.onmessage = (message) => void messages.push(message)
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  return { transport, messages, closed }
}

function call(id: number, name: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text: 'ä\n€' } } }
}

test('relays bare messages, as they are', async () => {
  const { transport, messages } = open(program('rough-server.ts'))
  await transport.start()
  await transport.send(call(1, 'echo'))
  await eventually('the answer has come', () => messages.length === 1)
  expect(messages).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: '{"text":"ä\\n€"}', extra: 1 }],
        structuredContent: { n: 1 },
        _meta: { k: 'v' },
        odd: true,
      },
    },
  ])
})

test('lets a relay write lines of its own, in order, and keep what comes back', async () => {
  const taken: unknown[] = []
  const { transport, messages } = open(program('rough-server.ts'), undefined, (line) => {
    const { id } = JSON.parse(line.toString())
    if (id > 2) taken.push(id)
    return id > 2
  })
  expect(() => transport.sendLine('{}')).toThrow('the server is not running')
  await transport.start()
  for (const id of [1, 2, 3, 4, 5]) transport.sendLine(JSON.stringify(call(id, 'echo')))
  await eventually('all answers have come', () => messages.length + taken.length === 5)
  expect(messages.map((message) => 'id' in message && message.id)).toEqual([1, 2])
  expect(taken).toEqual([3, 4, 5])
  await transport.close()
  expect(() => transport.sendLine('{}')).toThrow('the server is not running')
})

test('skips and counts lines that are no messages', async () => {
  const { transport, messages } = open(program('rough-server.ts', 'garbage'))
  await transport.start()
  await transport.send(call(1, 'echo'))
  await eventually('both answers have come', () => messages.length === 3)
  expect(transport.garbageLines).toBe(6)
})

test('ends a server that floods stdout without a newline, and says so', async () => {
  const { transport, closed } = open(program('rough-server.ts'), 1024 * 1024)
  await transport.start()
  await transport.send(call(1, 'flood'))
  await closed
  expect(transport.ending).toMatchObject({ signal: 'SIGKILL' })
  expect(transport.ending?.reason).toContain('a line of more than 1048576 bytes')
})

test('says how a server ended and what it wrote last', async () => {
  const { transport, closed } = open(program('rough-server.ts', 'exits'))
  await transport.start()
  await closed
  expect(transport.ending).toEqual({
    code: 7,
    signal: null,
    reason: 'ended with exit code 7',
    stderr: ['first line', 'I cannot go on'],
  })
  await expect(transport.send(call(1, 'echo'))).rejects.toThrow('not running')
})

test('keeps the last fifty lines of stderr, none longer than eight kilobytes', async () => {
  const script = 'for i in $(seq 1 120); do echo line $i >&2; done; head -c 20000 /dev/zero | tr "\\0" x >&2'
  const { transport, closed } = open({ command: 'sh', args: ['-c', script] })
  await transport.start()
  await closed
  const { stderr } = transport
  expect(stderr).toHaveLength(50)
  expect(stderr.at(-2)).toBe('line 120')
  expect(stderr.at(-1)).toBe(`${'x'.repeat(8192)}…`)
})

test('refuses to queue more for a server that does not read', async () => {
  const { transport } = open(program('rough-server.ts', 'deaf'))
  await transport.start()
  const large: JSONRPCMessage = {
    jsonrpc: '2.0',
    method: 'large',
    params: { text: 'x'.repeat(11 * 1024 * 1024) },
  }
  const unread = expect(transport.send(large)).rejects.toThrow()
  await expect(transport.send(call(1, 'echo'))).rejects.toThrow('unread')
  await transport.close()
  await unread
})

test('a server that closes its stdout is ended', async () => {
  const { transport, closed } = open(program('rough-server.ts', 'closes-stdout'))
  await transport.start()
  await closed
  expect(transport.ending?.signal).toBe('SIGTERM')
})

test('closing before the program is started spares it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-mcp-'))
  const { transport } = open(program('rough-server.ts', 'plain', join(folder, 'starts')))
  const starting = expect(transport.start()).rejects.toThrow('closed before it was started')
  await transport.close()
  expect(transport).toMatchObject({ pid: null, ending: { reason: expect.stringContaining('closed') } })
  await starting
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test.each([1, 2, 3, 5, 8, 13])(
  'closing while it starts (%i turns later) is done when nothing is left',
  async (turns) => {
    const { transport } = open(program('rough-server.ts'))
    const starting = Promise.allSettled([transport.start()])
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    await transport.close()
    expect(transport.ending).toBeDefined()
    const { pid } = transport
    await starting
    expect(transport.pid).toBe(pid)
    expect(pid !== null && isRunning(pid)).toBe(false)
  },
)

test.each([
  ['has left unread what it was sent', 'exits', true],
  ['has read it', 'dies-on-probe', false],
])('knows of a server that ended whether it %s', async (_what, mode, isUnread) => {
  const { transport, closed } = open(program('rough-server.ts', mode))
  await transport.start()
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover' })
  await closed
  expect(transport.isUnread).toBe(isUnread)
})

test('a missing program is named', async () => {
  const { transport } = open({ command: 'no-such-program' })
  await expect(transport.start()).rejects.toThrow('"no-such-program" was not found on PATH')
  expect(transport.ending?.reason).toContain('could not be started')
})

test('no shell looks at the arguments', async () => {
  const { transport, closed } = open({ command: 'printf', args: ['%s\\n', '$(id)', '; echo x', '`id`'] })
  const lines: string[] = []
  transport.onerror = (error) => void lines.push(error.message)
  await transport.start()
  await closed
  expect(transport.garbageLines).toBe(3)
})

interface Family {
  readonly child: number
  readonly grandchild: number
}

test('stopping ends a server that ignores the end of stdin and SIGTERM, and what it started', async () => {
  const { transport } = open(program('rough-server.ts', 'stubborn'))
  await transport.start()
  await eventually('the server has named its processes', () => transport.stderr.length > 0)
  const { child, grandchild }: Family = JSON.parse(transport.stderr[0] ?? '')
  expect(child).toBe(transport.pid)
  expect([child, grandchild].map(isRunning)).toEqual([true, true])
  await transport.close()
  expect(transport.stderr).toContain('SIGTERM ignored')
  expect(transport.ending?.signal).toBe('SIGKILL')
  expect([child, grandchild].map(isRunning)).toEqual([false, false])
})

test('a server that dies by itself takes along what it started', async () => {
  const { transport, closed } = open(program('rough-server.ts', 'stubborn'))
  await transport.start()
  await eventually('the server has named its processes', () => transport.stderr.length > 0)
  const { child, grandchild }: Family = JSON.parse(transport.stderr[0] ?? '')
  process.kill(child, 'SIGKILL')
  await closed
  await eventually('the grandchild is gone', () => !isRunning(grandchild))
})

test('nothing outlives us, not even after kill -9', async () => {
  const owner = spawn(process.execPath, [fileURLToPath(new URL('../fixtures/owner.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: owner.stdout }), 'line')
  const { child, grandchild }: Family = JSON.parse(line)
  expect([child, grandchild].map(isRunning)).toEqual([true, true])
  owner.kill('SIGKILL')
  await eventually('server and grandchild are gone', () => !isRunning(child) && !isRunning(grandchild))
})

test('a server gets its own environment and nothing of ours', async () => {
  const { transport, closed } = open({
    command: 'sh',
    args: ['-c', 'tr "\\0" "\\n" < /proc/self/environ >&2'],
    env: { GIVEN: 'yes' },
  })
  await transport.start()
  await closed
  expect([...transport.stderr].sort()).toEqual(['GIVEN=yes', 'HOME=/nowhere', 'PATH=/usr/bin:/bin'])
})
