import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProtocolError } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { program } from '../fixtures/connect.ts'
import { eventually } from '../fixtures/processes.ts'
import {
  createWatchedConnections,
  statesOf,
  stderrHas,
  textOf,
  type WatchedConnection,
} from '../fixtures/watched-connections.ts'
import type { Connection } from './connection.ts'

let folder: string
const shared = createWatchedConnections()
const own = createWatchedConnections()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-mcp-'))
})
afterEach(own.closeAll)
afterAll(async () => {
  await shared.closeAll()
  await rm(folder, { recursive: true })
})

describe.each([
  ['modern', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('a %s server', (era, protocolVersion) => {
  const starts = () => join(folder, `starts-${era}`)
  let plain: WatchedConnection
  let connection: Connection
  beforeAll(async () => {
    plain = await shared.openReady(program('stdio-sample.ts', era, starts()), { logLevel: 'debug' })
    connection = plain.connection
  })

  test('is known, listed and called in its own era, by one process', async () => {
    expect(connection.status()).toMatchObject({
      state: 'ready',
      era,
      protocolVersion,
      server: { name: 'sample' },
      instructions: 'Use it for tests.',
    })
    expect(await readFile(starts(), 'utf8')).toBe(`${connection.status().pid}\n`)

    const catalog = connection.catalog()
    expect(catalog.tools.map(({ name }) => name)).toContain('add')
    expect(catalog.prompts.map(({ name }) => name)).toEqual(['greet'])
    expect(catalog.resources.map(({ uri }) => uri)).toEqual(['memo://one'])
    expect(catalog.resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['note://{id}'])

    expect(await connection.callTool('add', { a: 2, b: 3 })).toMatchObject({
      content: [{ type: 'text', text: '5' }],
      structuredContent: { sum: 5 },
      _meta: { 'test/origin': 'add' },
    })
    expect(await connection.callTool('fail', {})).toMatchObject({ isError: true })
    expect(textOf(await connection.callTool('meta', {}, { meta: { 'test/key': 7 } }))).toContain('test/key')
    const prompt = await connection.getPrompt('greet', { name: 'Ada' })
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'Greet Ada' })
    const resource = await connection.readResource('memo://one')
    expect(resource.contents).toMatchObject([{ text: 'a memo' }])
    const completion = await connection.complete({
      ref: { type: 'ref/resource', uri: 'note://{id}' },
      argument: { name: 'id', value: 'al' },
    })
    expect(completion.completion.values).toEqual(['alpha'])
    await connection.ping()
    await connection.callTool('log', {})
    await eventually('the log message has come', () => plain.events.some(({ type }) => type === 'log'))
    await expect(connection.readResource('memo://none')).rejects.toBeInstanceOf(ProtocolError)
  })

  test('answers through our handlers, and its changes are followed', async () => {
    const { connection: asked, events: told } = await own.openReady(program('stdio-sample.ts', era), {
      handlers: {
        elicitation: async (params) => ({ action: 'accept', content: { colour: params.message } }),
        sampling: async () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'a verse' } }),
        roots: async () => [{ uri: 'file:///work' }],
      },
    })
    expect(textOf(await asked.callTool('ask-user', {}))).toContain('Which colour?')
    expect(textOf(await asked.callTool('ask-model', {}))).toContain('a verse')
    expect(textOf(await asked.callTool('ask-roots', {}))).toContain('file:///work')

    await asked.callTool('grow', {})
    await eventually('the new tool is listed', () =>
      asked.catalog().tools.some(({ name }) => name === 'grown'),
    )
    expect(told).toContainEqual({ type: 'catalog', kind: 'tools' })
  })

  test('is refused what we have no handler for, and goes on', async () => {
    for (const tool of ['ask-user', 'ask-model', 'ask-roots']) {
      const outcome = await connection.callTool(tool, {}).then(
        (result) => ({ refused: result.isError }),
        () => ({ refused: true }),
      )
      expect(outcome, tool).toEqual({ refused: true })
    }
    expect(await connection.callTool('add', { a: 1, b: 1 })).toMatchObject({ structuredContent: { sum: 2 } })
  })

  test('shows progress, is cancelled by abort and by the deadline', async () => {
    const progress: number[] = []
    await connection.callTool('wait', { steps: 3 }, { onProgress: (step) => progress.push(step.progress) })
    expect(progress).toEqual([1, 2, 3])

    const abort = new AbortController()
    const call = connection.callTool(
      'wait',
      { steps: 1000 },
      { signal: abort.signal, onProgress: () => abort.abort() },
    )
    await expect(call).rejects.toMatchObject({ fault: 'aborted' })
    await eventually('the server has heard of it', stderrHas(plain, 'the wait was cancelled'))

    const late = connection.callTool('wait', { steps: 1000 }, { timeoutMs: 100 })
    await expect(late).rejects.toMatchObject({
      fault: 'timeout',
      message: expect.stringContaining('0.1 seconds'),
    })

    const patient = { timeoutMs: 600, resetTimeoutOnProgress: true }
    expect(textOf(await connection.callTool('wait', { steps: 16 }, patient))).toContain('waited')
    const impatient = connection.callTool('wait', { steps: 1000 }, { ...patient, maxTotalMs: 400 })
    await expect(impatient).rejects.toMatchObject({ fault: 'timeout' })
  })

  test('that dies in the middle of a call fails it with its last words, and is started again', async () => {
    const watched = await own.openReady(program('stdio-sample.ts', era))
    const dying = watched.connection
    const first = dying.status().pid
    await expect(dying.callTool('die', {})).rejects.toMatchObject({
      fault: 'lost',
      exitCode: 3,
      message: expect.stringMatching(/tool "die".*ended with exit code 3.*dying as asked/),
    })
    const sum = await dying.callTool('add', { a: 1, b: 1 }, { waitMs: 10_000 })
    expect(sum).toMatchObject({ structuredContent: { sum: 2 } })
    expect(dying.status().pid).not.toBe(first)
    expect(statesOf(watched)).toEqual(['ready', 'backoff', 'connecting', 'ready'])
  })
})
