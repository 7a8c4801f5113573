import { once } from 'node:events'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { createTestDatabase, type TestDatabase } from '@quire/testbed/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from './errors.ts'
import { openStore, type Store, type StoreOptions } from './store.ts'

let database: TestDatabase
let admin: Store

beforeAll(async () => {
  database = await createTestDatabase()
  admin = await openStore(database.url, { poolSize: 2 })
  await sql`create table t (id integer primary key)`.execute(admin.db)
})
afterAll(async () => {
  await admin.close()
  await database.drop()
})

async function open(options: StoreOptions = {}, url = database.url) {
  const store = await openStore<{ t: { id: number } }>(url, options)
  onTestFinished(() => store.close())
  return store
}

const terminateOthers = () =>
  sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
  `.execute(admin.db)

test('survives the loss of every connection, and its listeners are told to read again', async () => {
  const store = await open()
  const heard: (string | null)[] = []
  onTestFinished(store.listen('news', (payload) => heard.push(payload)))
  await Promise.all(Array.from({ length: 5 }, () => store.ping()))
  await vi.waitFor(() => expect(heard).toStrictEqual([null]), 30_000)
  await terminateOthers()
  await vi.waitFor(() => expect(heard).toStrictEqual([null, null]), { timeout: 30_000 })
  await vi.waitFor(() => store.ping(), 30_000)
  await store.transaction((tx) => store.notify('news', 'after', tx))
  await vi.waitFor(() => expect(heard).toContain('after'), 30_000)
})

test('a transaction that loses its connection is unavailable, not fatal', async () => {
  const store = await open()
  const broken = store.transaction(async (tx) => {
    await tx.db.insertInto('t').values({ id: 1 }).execute()
    await terminateOthers()
    // The loss is noticed between two statements, when nobody waits for an answer.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await tx.db.insertInto('t').values({ id: 2 }).execute()
  })
  await expect(broken).rejects.toThrow(StoreUnavailable)
  await vi.waitFor(() => store.ping(), 30_000)
  expect(await store.db.selectFrom('t').selectAll().execute()).toStrictEqual([])
})

test('an outage gives 503 and ends by itself', async () => {
  const proxy = await startProxy(database.url)
  onTestFinished(() => proxy.stop())
  const warn = vi.fn()
  const store = await open({ acquireTimeoutMs: 1_000, logger: { warn, error: vi.fn() } }, proxy.url)
  const heard: (string | null)[] = []
  onTestFinished(store.listen('outage', (payload) => heard.push(payload)))
  await vi.waitFor(() => expect(heard.length).toBe(1), 30_000)
  await proxy.stop()
  const error = await store.ping().catch((cause: unknown) => cause)
  expect(error).toMatchObject({ problem: { status: 503 }, headers: { 'Retry-After': '1' } })
  await expect(store.transaction(async () => 'never')).rejects.toThrow(StoreUnavailable)
  await proxy.start()
  await store.ping()
  await vi.waitFor(() => expect(heard.length).toBe(2), { timeout: 30_000 })
  expect(warn).toHaveBeenCalled()
})

test('refuses to open what is not there, and leaves nothing behind', async () => {
  await expect(openStore('postgres://postgres@127.0.0.1:1/none')).rejects.toThrow(StoreUnavailable)
  await expect(openStore(database.url.replace(/test_\d+$/, 'nowhere'))).rejects.toThrow(
    '"nowhere" does not exist',
  )
})

test('a caller that waits too long for a connection is told so', async () => {
  const store = await open({ poolSize: 1, acquireTimeoutMs: 100 })
  const release = Promise.withResolvers<void>()
  const holding = store.transaction(() => release.promise)
  await expect(store.ping({ timeoutMs: 5_000 })).rejects.toThrow(StoreUnavailable)
  release.resolve()
  await holding
  await store.ping()
})

test('a ping ends at its deadline and with its signal', async () => {
  const store = await open({ poolSize: 1 })
  const release = Promise.withResolvers<void>()
  const holding = store.transaction(() => release.promise)
  await expect(store.ping({ timeoutMs: 20 })).rejects.toThrow('within 20 ms')
  await expect(store.ping({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
  release.resolve()
  await holding
})

test('runs the SQL of others, but not inside a transaction', async () => {
  const store = await open()
  const query = () => store.postgres?.query('select $1::text[] as list', [['a', 'b']])
  expect((await query())?.rows).toStrictEqual([{ list: ['a', 'b'] }])
  await expect(store.transaction(async () => query())).rejects.toThrow('use tx.db')
})

/** Stands between the store and the server, so that the network can fail without the server. */
async function startProxy(target: string) {
  const upstream = Number(new URL(target).port)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let port = 0

  async function start(): Promise<void> {
    server = createServer((incoming) => {
      const outgoing = dial(upstream, '127.0.0.1')
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        sockets.add(one)
        one
          .on('error', () => other.destroy())
          .on('close', () => other.destroy())
          .pipe(other)
      }
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address !== null && typeof address === 'object') port = address.port
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    if (server?.listening) await new Promise((resolve) => server?.close(resolve))
  }

  await start()
  const url = new URL(target)
  url.port = String(port)
  return { url: url.href, start, stop }
}
