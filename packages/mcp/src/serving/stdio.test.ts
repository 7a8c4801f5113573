import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { expect, test } from 'vitest'
import { eventually } from '../fixtures/processes.ts'
import { createSampleServer } from '../fixtures/sample-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { serveStdio } from './stdio.ts'

const PROGRAM = fileURLToPath(new URL('../fixtures/stdio-sample.ts', import.meta.url))

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

async function converse(messages: readonly unknown[], answers: number) {
  const server: ChildProcess = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] })
  const errors = server.stderr ? text(server.stderr) : Promise.resolve('')
  let output = ''
  for (const message of messages) server.stdin?.write(`${JSON.stringify(message)}\n`)
  for await (const chunk of server.stdout ?? []) {
    output += chunk
    if (output.split('\n').length > answers) server.stdin?.end()
  }
  const [code] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode]
  return { code, lines: output.trim().split('\n'), errors: await errors }
}

test('stdout carries the protocol alone, and the end of stdin ends the program', async () => {
  const chat = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'chat', arguments: {} } }
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const { code, lines, errors } = await converse([INITIALIZE, initialized, chat], 2)
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2])
  expect(errors).toBe('a stray line\n')
  expect(code).toBe(0)
})

test('initialize with wrong params is answered as a JSON-RPC error', async () => {
  const { lines } = await converse([{ ...INITIALIZE, params: {} }], 1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 1, error: { code: expect.any(Number) } })
})

test('the guard of stdout is lifted in the end, by either side', async () => {
  for (const end of ['client', 'server'] as const) {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const serving = serveStdio(createSampleServer, { stdin, stdout, stderr, logger: createSilentLogger() })
    stdout.write('astray')
    expect(stdout.read()).toBeNull()
    expect(String(stderr.read())).toBe('astray')
    if (end === 'client') stdin.end()
    else await serving.close()
    await serving.closed
    stdout.write('free')
    expect(String(stdout.read())).toBe('free')
  }
})

test.each(['auto', 'legacy'] as const)(
  'a client in mode %s is told of changes of what it subscribed, and of nothing else',
  async (mode) => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const serving = serveStdio(createSampleServer, { stdin, stdout, stderr, logger: createSilentLogger() })
    const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StdioServerTransport(stdout, stdin))
    const told: string[] = []
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void told.push(params.uri),
    )
    expect(serving.notify.isWatched()).toBe(false)
    if (mode === 'auto') await client.listen({ resourceSubscriptions: ['memo://one'] })
    else await client.subscribeResource({ uri: 'memo://one' })
    expect(serving.notify.isWatched()).toBe(true)
    told.length = 0
    await eventually('the update has come', () => {
      serving.notify.resourceUpdated('memo://other')
      serving.notify.resourceUpdated('memo://one')
      return told.length > 0
    })
    expect(new Set(told)).toEqual(new Set(['memo://one']))
    await client.close()
    await serving.close()
  },
)
