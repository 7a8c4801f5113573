import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  createFolder,
  isAlive,
  PLAIN,
  POLL,
  type RunningComposer,
  roughServer,
  spawnComposer,
  startComposer,
  stdioServer,
} from './composer.fixture.ts'
import { connectToUrl } from './composer-clients.fixture.ts'

const NAMES = ['killed', 'drained', 'hurried', 'lasting'] as const

/** One that answers, and one that wants neither to hear nor to go, with a child that is no better. */
const tomlFor = (name: (typeof NAMES)[number]) => (path: string) =>
  [
    name === 'drained' ? stdioServer('calm', PLAIN) : roughServer(path, 'calm'),
    roughServer(path, 'stubborn', 'stubborn', 'log_file = "stubborn.log"'),
  ].join('\n')

let stopping: ReturnType<RunningComposer['ask']>
let ofStubborn: number[]
let ended: Promise<number | string>
let ofDrained: number[]
const composers: Record<(typeof NAMES)[number], RunningComposer> = Object.create(null)

beforeAll(async () => {
  // All at once, for their sake who wait.
  await Promise.all(
    NAMES.map(async (name) => {
      const composer = await startComposer(await createFolder(tomlFor(name)))
      composers[name] = composer
      await composer.whenState('calm', 'running')
      await composer.whenState('stubborn', 'running')
    }),
  )
  const { lasting } = composers
  const { pid } = await lasting.whenState('stubborn', 'running')
  ofStubborn = [pid, ...childrenOf(pid)]
  // It takes seconds, in which others are looked at.
  stopping = lasting.ask('POST', '/servers/stubborn/stop')
})
afterAll(async () => {
  for (const { stop, folder } of Object.values(composers)) {
    await stop('SIGKILL')
    await folder.remove()
  }
})

/** Every process that a composer has started, down to the last grandchild. */
async function descendants({ child, whenState }: RunningComposer): Promise<number[]> {
  const { pid } = await whenState('stubborn', 'running')
  const all = childrenOf(Number(child.pid))
  // The server, and what it has started itself.
  expect(all).toContain(pid)
  expect(childrenOf(pid).length).toBeGreaterThanOrEqual(1)
  return all
}

function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return list === '' ? [] : list.split(' ').flatMap((child) => [Number(child), ...childrenOf(Number(child))])
}

test('kill -9 leaves no child and no grandchild, and the next start works', async () => {
  verifies('CO-SUP-17')
  const { killed } = composers
  const processes = await descendants(killed)
  expect(processes.filter(isAlive)).toEqual(processes)
  const recorded = () =>
    JSON.parse(killed.folder.read('data/composer/processes.json'))
      .processes.map(({ name }: { name: string }) => name)
      .toSorted()
  // It is written beside the start of a server, which does not wait for it.
  await expect.poll(recorded, POLL).toEqual(['calm', 'stubborn'])
  await killed.stop('SIGKILL')
  await expect.poll(() => processes.filter(isAlive), POLL).toEqual([])
  expect(recorded()).toEqual(['calm', 'stubborn'])
  const next = await startComposer(killed.folder)
  onTestFinished(async () => void (await next.stop('SIGKILL')))
  const { pid, restart_count } = await next.whenState('stubborn', 'running')
  expect(processes).not.toContain(pid)
  expect(restart_count).toBe(0)
})

test('SIGTERM lets calls under way finish', async () => {
  const { drained } = composers
  ofDrained = await descendants(drained)
  const modes = ['auto', 'legacy'] as const
  const calls = modes.map(async (mode) => {
    const { client, close } = await connectToUrl(`${drained.url}/mcp`, mode, mode)
    onTestFinished(close)
    const begun = Promise.withResolvers<void>()
    const tool = { name: 'calm__slow', arguments: { ms: 200, steps: 6 } }
    const answer = client.callTool(tool, { onprogress: () => begun.resolve() })
    await begun.promise
    return { answer }
  })
  const overRest = drained.ask('POST', '/tools/calm:slow/invoke', { ms: 1000 })
  const begun = await Promise.all(calls)
  ended = drained.stop('SIGTERM')
  for (const { answer } of begun) expect(await answer).toMatchObject({ content: [{ text: 'slow but sure' }] })
  expect(await overRest).toMatchObject({ status: 200, body: { is_error: false } })
  expect(drained.output.stderr).toContain('stopping; a second signal ends at once')
})

test('a second SIGTERM ends at once, and leaves nothing either', async () => {
  const { hurried } = composers
  const processes = await descendants(hurried)
  void hurried.stop('SIGTERM')
  await hurried.waitFor(/stopping; a second signal ends at once/, 'stderr')
  expect(await hurried.stop('SIGTERM')).toBe(1)
  await expect.poll(() => processes.filter(isAlive), POLL).toEqual([])
})

test('a server that ignores everything is stopped all the same, with all that it has started', async () => {
  verifies('CO-SUP-16', 'CO-SERVER-4', 'CO-SERVER-10')
  expect(await stopping).toMatchObject({
    status: 200,
    body: { message: 'The server "stubborn" is stopped.', server: { state: 'stopped', pid: null } },
  })
  expect(ofStubborn.length).toBeGreaterThanOrEqual(2)
  expect(ofStubborn.filter(isAlive)).toEqual([])
  expect(composers.lasting.folder.read('stubborn.log')).toContain('SIGTERM ignored')
})

test('a port that is taken is named, and no server was started', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void taken.close(() => resolve())))
  const { port } = taken.address() as AddressInfo
  const folder = await createFolder((path) => roughServer(path, 'one'))
  onTestFinished(folder.remove)
  const program = spawnComposer(folder, { args: ['--port', String(port)] })
  expect(await program.exited).toBe(1)
  expect(program.output.stderr).toMatch(
    new RegExp(`^quire: .*127\\.0\\.0\\.1:${port}.* is in use by another program`),
  )
  expect(program.output.stderr.trim().split('\n')).toHaveLength(1)
  expect(folder.read('one.starts')).toBe('')
})

test('an address that others reach is refused without authentication', async () => {
  const folder = await createFolder((path) => roughServer(path, 'one'))
  onTestFinished(folder.remove)
  const program = spawnComposer(folder, { args: ['--host', '0.0.0.0'] })
  expect(await program.exited).toBe(1)
  expect(program.output.stderr.trim().split('\n')).toHaveLength(1)
  for (const word of ['0.0.0.0', 'authentication', 'COMPOSER_API_KEYS', '--insecure-composer-noauth'])
    expect(program.output.stderr).toContain(word)
  expect(folder.read('one.starts')).toBe('')
})

test('SIGTERM, which was sent before, has ended all servers, and the exit code is 0', async () => {
  verifies('CO-SUP-16')
  expect(await ended).toBe(0)
  expect(ofDrained.filter(isAlive)).toEqual([])
})
