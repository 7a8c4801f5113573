import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@quire/testbed/free-port'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startOldSse } from '../fixtures/old-sse-server.ts'
import { call, createAsker, createLinks, embedded, fixture, remote, textOf } from './link.fixture.ts'

const links = createLinks()
afterEach(links.closeAll)

const ASKED = {
  capabilities: { elicitation: {} },
  ask: async () => ({ action: 'accept', content: { colour: 'red' } }),
}

describe('a server of the old transport', () => {
  let server: Awaited<ReturnType<typeof startOldSse>>
  beforeAll(async () => {
    server = await startOldSse()
  })
  afterAll(() => server.close())

  test('is called, asks and shows progress', async () => {
    const { link, told } = await links.open(remote(server.url, { transport: 'sse' }))
    expect(link.eraFor('modern')).toBe('legacy')
    expect(textOf(await call(link, 'echo', { text: 'hi' }))).toBe('hi')
    expect(textOf(await call(link, 'ask_elicitation', {}, createAsker(ASKED)))).toBe(
      'accept: {"colour":"red"}',
    )
    const steps: unknown[] = []
    const asker = createAsker({
      notify: (_method, { progress, progressToken }) => steps.push([progressToken, progress]),
    })
    await call(link, 'slow', { ms: 1, steps: 2 }, asker, { progressToken: 'p' })
    expect(steps).toEqual([
      ['p', 1],
      ['p', 2],
    ])
    await call(link, 'change_tools')
    await expect.poll(() => told.catalog).toContain('tools')
    expect(told.garbage).toBe(0)
  })
})

describe('a server in this process', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-link-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function moduleOf(code: string): Promise<string> {
    const file = join(folder, `m${Math.random().toString(36).slice(2)}.mjs`)
    await writeFile(file, code)
    return file
  }

  test('is called, asks and tells like any other', async () => {
    const { link, told } = await links.open(embedded(fixture('plain-server.ts')))
    expect(link).toMatchObject({ pid: null })
    expect(link.info()).toMatchObject({ serverInfo: { name: 'plain' } })
    expect(textOf(await call(link, 'echo', { text: 'hi' }))).toBe('hi')
    expect(textOf(await call(link, 'ask_elicitation', {}, createAsker(ASKED)))).toBe(
      'accept: {"colour":"red"}',
    )
    expect(textOf(await call(link, 'throws'))).toContain('thrown by the tool')
    await call(link, 'change_tools')
    await expect.poll(() => told.catalog).toContain('tools')
    const stop = new AbortController()
    const waiting = call(link, 'slow', { ms: 10, steps: 1000 }, createAsker({ signal: stop.signal }))
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
    await link.close()
    await expect(link.ended).resolves.toMatchObject({ isClosed: true })
    await expect(call(link, 'echo', { text: 'hi' })).rejects.toMatchObject({ fault: 'unsent' })
  })

  test('is made anew for each link', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => links.open(embedded(fixture('plain-server.ts')))))
    if (!one || !two) throw new Error('there are two')
    await call(one.link, 'change_tools')
    await expect.poll(() => one.told.catalog).toContain('tools')
    expect(two.link.catalog().tools.map(({ name }) => name)).not.toContain('grown')
  })

  test.each([
    ['throws', 'throw new Error("broken at the top")', 'broken at the top'],
    ['has no factory', 'export const other = 1', 'exports neither "createServer" nor a default function'],
    ['has a factory that throws', 'export function createServer() { throw new Error("no luck") }', 'no luck'],
    ['has a factory that rejects', 'export default async () => { throw new Error("no luck") }', 'no luck'],
    ['makes something else', 'export const createServer = () => ({ a: 1 })', 'is no MCP server'],
    ['makes nothing', 'export const createServer = () => undefined', 'is no MCP server'],
    [
      'never ends',
      'export const createServer = () => new Promise(() => undefined)',
      'did not end within 0.3 seconds',
    ],
    [
      'never speaks',
      'export const createServer = () => ({ connect: async () => undefined })',
      'was not ready within 0.3 seconds',
    ],
  ])('whose module %s says so', async (_what, code, words) => {
    const opening = links.open(embedded(await moduleOf(code)), { readyMs: 300 })
    await expect(opening).rejects.toMatchObject({
      name: 'LinkError',
      fault: 'start',
      message: expect.stringContaining(words),
    })
  })

  test('that is not there says so', async () => {
    await expect(links.open(embedded('/nowhere/at/all.ts'))).rejects.toMatchObject({
      fault: 'start',
      message: expect.stringContaining('/nowhere/at/all.ts'),
    })
    await expect(links.open(embedded('no-such-package-anywhere'))).rejects.toMatchObject({ fault: 'start' })
  })
})

describe('a remote with its program', () => {
  async function served(...args: string[]) {
    const port = await findFreePort()
    const command = [
      process.execPath,
      fixture('plain-http-server.ts'),
      'both',
      String(port),
      ...args,
    ] as const
    return remote(`http://127.0.0.1:${port}/mcp`, {
      program: { command: [...command], env: { OWN: '1' }, workingDir: undefined },
    })
  }

  test('is started, waited for, and stopped', async () => {
    const definition = await served()
    const { link, told } = await links.open(definition)
    expect(link.pid).toBeGreaterThan(0)
    expect(textOf(await call(link, 'pid'))).toBe(String(link.pid))
    expect(told.stderr).toEqual([definition.url])
    await link.close()
    await expect(fetch(definition.url)).rejects.toThrow()
    await expect(link.ended).resolves.toMatchObject({ isClosed: true })
  })

  test('ends with it', async () => {
    const { link } = await links.open(await served())
    await expect(call(link, 'die')).rejects.toMatchObject({ fault: 'lost' })
    await expect(link.ended).resolves.toMatchObject({
      reason: 'ended with its program, exit code 3',
      exitCode: 3,
      stderr: expect.arrayContaining(['dying as asked']),
      isClosed: false,
    })
  })

  test.each([
    [['/bin/sh', '-c', 'echo cannot go on >&2; exit 4'], 'exit code 4. Its last line: cannot go on', 30_000],
    [['/bin/sh', '-c', 'exec sleep 60'], 'could not be reached', 700],
    [['no-such-program-anywhere'], 'was not found on PATH', 30_000],
  ] as const)('that is %j says why there is none', async (command, words, readyMs) => {
    const [program, ...args] = command
    const definition = {
      ...(await served()),
      program: { command: [program, ...args] as [string, ...string[]], env: {}, workingDir: undefined },
    }
    await expect(links.open(definition, { readyMs })).rejects.toMatchObject({
      fault: 'start',
      message: expect.stringContaining(words),
    })
  })
})
