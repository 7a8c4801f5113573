import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCalls } from '../calls/create-calls.ts'
import { type PlainHttp, startPlainHttp } from '../fixtures/plain-http-server.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { superviseLive } from '../gateway/live.fixture.ts'
import { runBridge } from './bridge.ts'
import { toRemoteDefinition } from './pass-through-definition.ts'

const logger = createSilentLogger()
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
let remote: PlainHttp
let ending: AbortController

beforeEach(async () => {
  remote = await startPlainHttp()
  ending = new AbortController()
})
afterEach(async () => {
  ending.abort()
  await remote.close()
})

/** A client at the other end of the pipes of a bridge. */
function startBridge(url: string) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const answers: { id?: unknown; result?: Record<string, unknown>; error?: unknown }[] = []
  let text = ''
  stdout.on('data', (chunk) => {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    answers.push(...lines.map((line) => JSON.parse(line)))
  })
  const definition = toRemoteDefinition('remote', { transport: 'http', url, headers: { 'x-key': 'sesame' } })
  const options = {
    createSupervisor: superviseLive,
    calls: createCalls(),
    logger,
    stdin,
    stdout,
    stderr,
  }
  const done = runBridge(definition, { ...options, signal: ending.signal })
  return {
    stdin,
    done,
    async ask(message: { readonly id: number; readonly method: string; readonly params: object }) {
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      await expect.poll(() => answers.find(({ id }) => id === message.id)).toBeDefined()
      return answers.find(({ id }) => id === message.id)
    },
  }
}

const echo = (id: number) => ({
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: `t${id}` } },
})

test('a remote server is offered on stdio, to a client with a session, until stdin ends', async () => {
  const { ask, stdin, done } = startBridge(remote.url)
  expect(await ask(initialize)).toMatchObject({
    result: { protocolVersion: '2025-11-25', serverInfo: { name: 'plain', version: '1.2.3' } },
  })
  expect(await ask(echo(2))).toMatchObject({ result: { content: [{ type: 'text', text: 't2' }] } })
  expect(await ask({ id: 3, method: 'resources/read', params: { uri: 'memo://one' } })).toMatchObject({
    result: { contents: [{ text: 'a memo' }] },
  })
  stdin.end()
  await done
})

test('a stateless client is served as well', async () => {
  const { ask, done } = startBridge(remote.url)
  const { params } = echo(1)
  expect(await ask({ ...echo(1), params: { ...params, _meta: ENVELOPE } })).toMatchObject({
    result: { resultType: 'complete', content: [{ text: 't1' }] },
  })
  ending.abort()
  await done
})

test('a remote that was away is reached again', async () => {
  const { ask } = startBridge(remote.url)
  await ask(initialize)
  await remote.close()
  expect(await ask(echo(2))).toHaveProperty('error')
  remote = await startPlainHttp({ port: remote.port })
  let id = 2
  await expect
    .poll(
      async () => {
        id += 1
        return (await ask(echo(id)))?.result !== undefined
      },
      { timeout: 30_000, interval: 100 },
    )
    .toBe(true)
})

test('a remote that cannot be reached ends it with the reason, and without its secrets', async () => {
  await remote.close()
  const { done } = startBridge(remote.url)
  await expect(done).rejects.toMatchObject({ code: 'START_FAILED' })
  await expect(done).rejects.not.toThrow(/sesame/)
})
