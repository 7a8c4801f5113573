import { type Catalog, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import { afterEach, expect, test } from 'vitest'
import { createAsker } from '../calls/servers.fixture.ts'
import type { Reply } from '../rpc.ts'
import { type CatalogMemory, hashDefinition } from './catalog-memory.ts'
import { define, settle, startFault, superviseTestLinks } from './links.fixture.ts'

const known: Catalog = { ...EMPTY_CATALOG, tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
const lazy = define('a', { lazy: true, idleStopMs: 10_000 })
const { signal } = new AbortController()

function createMemory(): CatalogMemory & { readonly kept: Map<string, Catalog> } {
  const kept = new Map<string, Catalog>()
  return {
    kept,
    load: (name, hash) => kept.get(`${name} ${hash}`),
    save: (name, hash, catalog) => kept.set(`${name} ${hash}`, catalog),
  }
}

let memory = createMemory()
let stage = superviseTestLinks({ remembered: memory })
afterEach(async () => {
  await stage.supervisor.close()
  expect(stage.clock.sleepers()).toEqual([])
  memory = createMemory()
  stage = superviseTestLinks({ remembered: memory })
})

async function asleep(): Promise<void> {
  memory.save('a', hashDefinition(lazy), known)
  stage.behave('a', { catalog: known })
  await stage.apply(lazy)
}

test('a lazy server that is remembered is listed, and not started', async () => {
  await asleep()
  expect(stage.attempts()).toBe(0)
  expect(stage.server('a').status().state).toBe('stopped')
  expect(stage.server('a').catalog()).toBe(known)
  expect(stage.events).toEqual([{ type: 'catalog', server: 'a', kind: 'tools' }])
})

test('its first use starts it, once for all who come', async () => {
  await asleep()
  const links = await Promise.all([1, 2, 3].map(() => stage.server('a').use(signal)))
  expect(stage.attempts()).toBe(1)
  expect(new Set(links)).toEqual(new Set([stage.server('a').link()]))
  expect(stage.server('a').status().state).toBe('running')
})

test('its tools are listed while it wakes', async () => {
  await asleep()
  const ready = Promise.withResolvers<void>()
  stage.behave('a', { open: () => ready.promise, catalog: known })
  const used = stage.server('a').use(signal)
  await settle()
  expect(stage.server('a').status().state).toBe('starting')
  expect(stage.server('a').catalog()).toBe(known)
  ready.resolve()
  await used
})

test('one that nobody remembers is started once to learn, and then sleeps', async () => {
  stage.behave('a', { catalog: known })
  await stage.apply(lazy)
  expect(stage.server('a').status().state).toBe('running')
  expect(memory.load('a', hashDefinition(lazy))).toBe(known)
  await stage.clock.pass(9999)
  expect(stage.server('a').status().state).toBe('running')
  await stage.clock.pass(1)
  expect(stage.states('a')).toEqual(['starting', 'running', 'stopping', 'stopped'])
  expect(stage.latest('a').isClosed).toBe(true)
  expect(stage.server('a').catalog()).toBe(known)
})

test('without a memory it learns all the same', async () => {
  stage = superviseTestLinks()
  stage.behave('a', { catalog: known })
  await stage.apply(lazy)
  await stage.clock.pass(10_000)
  expect(stage.server('a').status().state).toBe('stopped')
  expect(stage.server('a').catalog()).toBe(known)
})

test('an idle time of 0 keeps it running', async () => {
  await stage.apply(define('a', { lazy: true }))
  await stage.clock.pass(3_600_000)
  expect(stage.server('a').status().state).toBe('running')
})

test('a request under way keeps it awake, and the time counts from its end', async () => {
  await asleep()
  const answer = Promise.withResolvers<Reply>()
  stage.behave('a', { catalog: known, request: () => answer.promise })
  const link = await stage.server('a').use(signal)
  const replied = link.request('tools/call', { name: 'echo' }, createAsker())
  await stage.clock.pass(25_000)
  expect(stage.server('a').status().state).toBe('running')
  answer.resolve({ result: Buffer.from('{}') })
  await replied
  await stage.clock.pass(9999)
  expect(stage.server('a').status().state).toBe('running')
  await stage.clock.pass(1)
  expect(stage.server('a').status().state).toBe('stopped')
})

test('a subscription keeps it awake', async () => {
  await asleep()
  const controller = new AbortController()
  const link = await stage.server('a').use(signal)
  await link.subscribe('memo://one', controller.signal)
  await stage.clock.pass(60_000)
  expect(stage.server('a').status().state).toBe('running')
  controller.abort()
  await stage.clock.pass(10_000)
  expect(stage.server('a').status().state).toBe('stopped')
})

test('who comes while it falls asleep gets a new one', async () => {
  const gone = Promise.withResolvers<void>()
  stage.behave('a', { catalog: known, close: () => gone.promise })
  await stage.apply(lazy)
  await stage.clock.pass(10_000)
  expect(stage.server('a').status().state).toBe('stopping')
  const used = stage.server('a').use(signal)
  await settle()
  gone.resolve()
  await used
  expect(stage.attempts()).toBe(2)
  expect(stage.states('a')).toEqual(['starting', 'running', 'stopping', 'stopped', 'starting', 'running'])
})

test('one that falls asleep again and again reaches no limit', async () => {
  await asleep()
  for (let turn = 0; turn < 8; turn += 1) {
    await stage.server('a').use(signal)
    await stage.clock.pass(10_000)
  }
  expect(stage.attempts()).toBe(8)
  expect(stage.server('a').status()).toMatchObject({ state: 'stopped', restartCount: 0, lastError: null })
})

test('one that was stopped by hand stays stopped, and offers nothing', async () => {
  await asleep()
  await stage.server('a').use(signal)
  await stage.server('a').stop()
  expect(stage.server('a').catalog()).toBe(EMPTY_CATALOG)
  await expect(stage.server('a').use(signal)).rejects.toMatchObject({ code: 'SERVER_NOT_RUNNING' })
})

test('one that cannot be woken has crashed, and offers nothing', async () => {
  await asleep()
  stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
  await expect(stage.server('a').use(signal)).rejects.toMatchObject({ code: 'SERVER_CRASHED' })
  expect(stage.server('a').catalog()).toBe(EMPTY_CATALOG)
})

test('one whose first start failed is tried again by the next call, before its time', async () => {
  stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
  await stage.apply(lazy)
  expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: 500 })
  stage.behave('a', { catalog: known })
  expect(await stage.server('a').use(signal)).toBe(stage.server('a').link())
  expect(stage.attempts()).toBe(2)
  expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: 1 })
})

test('calls try one that failed at most once in each delay', async () => {
  stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
  await stage.apply(lazy)
  const crashed = { code: 'SERVER_CRASHED', headers: { 'retry-after': '1' } }
  const calls = [1, 2, 3].map(() => expect(stage.server('a').use(signal)).rejects.toMatchObject(crashed))
  await Promise.all(calls)
  await expect(stage.server('a').use(signal)).rejects.toMatchObject(crashed)
  expect(stage.attempts()).toBe(2)
  expect(stage.server('a').status().retryInMs).toBe(1000)
})

test('one that has given up is tried again by a call, and keeps its limit', async () => {
  stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
  await stage.apply(lazy)
  await stage.clock.pass(20_000)
  expect(stage.attempts()).toBe(5)
  expect(stage.server('a').status().retryInMs).toBeNull()
  const refused = {
    code: 'SERVER_CRASHED',
    message: expect.stringContaining('A call in 16 s tries it again.'),
  }
  await expect(stage.server('a').use(signal)).rejects.toMatchObject(refused)
  await stage.clock.pass(15_000)
  await expect(stage.server('a').use(signal)).rejects.toMatchObject({ headers: { 'retry-after': '1' } })
  expect(stage.attempts()).toBe(6)
  stage.behave('a', { catalog: known })
  await stage.clock.pass(1000)
  await stage.server('a').use(signal)
  expect(stage.attempts()).toBe(7)
  expect(stage.server('a').status().state).toBe('running')
})

test.each([
  ['is not lazy', define('a')],
  ['shall never be restarted', { ...lazy, restart: { ...lazy.restart, policy: 'never' } } as const],
])('no call starts a failed server that %s', async (_what, definition) => {
  stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
  await stage.apply(definition)
  await stage.clock.pass(20_000)
  const attempts = stage.attempts()
  await expect(stage.server('a').use(signal)).rejects.toMatchObject({
    code: 'SERVER_CRASHED',
    message: expect.stringContaining('It stays down until it is started again.'),
  })
  expect(stage.attempts()).toBe(attempts)
})

test('one that ends well by itself is asleep', async () => {
  await asleep()
  await stage.server('a').use(signal)
  stage.latest('a').exit({ exitCode: 0 })
  await settle()
  expect(stage.server('a').status().state).toBe('stopped')
  await stage.server('a').use(signal)
  expect(stage.attempts()).toBe(2)
})

test('with another command, what is remembered is not believed', async () => {
  await asleep()
  await stage.apply({ ...lazy, command: ['/bin/other'] })
  expect(stage.attempts()).toBe(1)
})
