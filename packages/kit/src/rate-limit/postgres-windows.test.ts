import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { createTestDatabase, type TestDatabase } from '@quire/testbed/test-database'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLogger } from '../log.ts'
import { openStore, type PostgresAccess } from '../store/store.ts'
import { createRateLimiter, type RateLimiter } from './limiter.ts'
import { createPostgresWindows } from './postgres-windows.ts'
import { parseRateLimits } from './rate-limits.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const until = (check: () => unknown) => vi.waitFor(check, 30_000)

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function openDatabase(url: string): Promise<PostgresAccess> {
  const store = await openStore(url)
  cleanups.push(() => store.close())
  if (!store.postgres) throw new Error(`${url} is no PostgreSQL`)
  return store.postgres
}

async function createProcess(url: string, limits: string) {
  const lines: string[] = []
  const logger = createLogger({
    level: 'info',
    pretty: false,
    destination: { write: (line) => lines.push(line) },
  })
  const postgres = { database: await openDatabase(url), logger, deadlineMs: 300, restMs: 100 }
  return { lines, limiter: createRateLimiter({ limits: parseRateLimits(limits), postgres }) }
}

const consumeAll = (limiters: RateLimiter[], times: number) =>
  Promise.all(
    Array.from({ length: times }, (_, index) =>
      limiters[index % limiters.length]?.consume('promptAgent', 'a'),
    ),
  )

/** Stands between us and the database, and can fall silent as a network does. */
async function startProxy(target: string) {
  const { hostname, port, pathname, username } = new URL(target)
  const sockets = new Set<net.Socket>()
  let silent = false
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    near.on('data', (data) => silent || far.write(data))
    far.on('data', (data) => silent || near.write(data))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = () => {
    server.close()
    cut()
  }
  cleanups.push(stop)
  return {
    stop,
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    silence: () => {
      silent = true
    },
    speak: () => {
      silent = false
      cut()
    },
  }
}

test('whatever the database says to processes that create the table at the same moment, all of them count in it', async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, () => openDatabase(database.url)))
  const policy = { name: 'promptAgent', quota: 10, windowSeconds: 3_600 }
  for (let round = 0; round < 30; round += 1) {
    await databases[0]?.query('drop table if exists quire_rate_limits')
    const uses = await Promise.all(databases.map((one) => createPostgresWindows(one).hit(policy, 'a')))
    expect(uses.map(({ used }) => used).sort()).toEqual([1, 2, 3, 4, 5, 6])
  }
  await databases[0]?.query('drop table if exists quire_rate_limits')
})

test('two processes share one exact count, and both may create the table at the same moment', async () => {
  const processes = [
    await createProcess(database.url, 'promptAgent=10/h'),
    await createProcess(database.url, 'promptAgent=10/h'),
  ]
  const verdicts = await consumeAll(
    processes.map(({ limiter }) => limiter),
    40,
  )
  expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(10)
  const refused = verdicts.find((verdict) => !verdict?.allowed)
  expect(refused).toMatchObject({ policy: 'promptAgent', limit: 10, remaining: 0, windowSeconds: 3_600 })
  expect(refused?.resetSeconds).toBeGreaterThan(3_000)
  expect(processes.flatMap(({ lines }) => lines)).toEqual([])
})

test('names of principals do not reach the table, however long they are', async () => {
  const access = await openDatabase(database.url)
  const windows = createPostgresWindows(access)
  const policy = { name: 'secretive', quota: 5, windowSeconds: 60 }
  const long = `canary-${'x'.repeat(10_000)}`
  expect((await windows.hit(policy, long)).used).toBe(1)
  expect((await windows.hit(policy, long)).used).toBe(2)
  expect((await windows.hit(policy, `${long}y`)).used).toBe(1)
  const { rows } = await access.query(`select * from quire_rate_limits where key like 'secretive%'`)
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain('canary')
})

test('a window ends in the database too', async () => {
  const windows = createPostgresWindows(await openDatabase(database.url))
  const policy = { name: 'short', quota: 1, windowSeconds: 1 }
  expect((await windows.hit(policy, 'a')).used).toBe(1)
  expect((await windows.hit(policy, 'a')).used).toBe(2)
  await until(async () => expect((await windows.hit(policy, 'a')).used).toBe(1))
})

test('a database that falls silent is done without, said once, and found again', async () => {
  const proxy = await startProxy(database.url)
  const { limiter, lines } = await createProcess(proxy.url, 'silent=1000/h')
  const consume = () => limiter.consume('silent', 'a')
  expect(await consume()).toMatchObject({ allowed: true, remaining: 999 })
  proxy.silence()
  const verdicts = [await consume(), await consume(), ...(await Promise.all([consume(), consume()]))]
  expect(verdicts.map((verdict) => verdict?.remaining)).toEqual([999, 998, 997, 996])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('per process until the database answers again')
  proxy.speak()
  await until(async () => {
    await consume()
    expect(lines.at(-1)).toContain('shared through the database again')
  })
  expect(lines).toHaveLength(2)
})

test('a database that is gone before the first request is done without', async () => {
  const proxy = await startProxy(database.url)
  const { limiter, lines } = await createProcess(proxy.url, 'promptAgent=2/h')
  proxy.stop()
  const verdicts = await consumeAll([limiter], 3)
  expect(verdicts.map((verdict) => verdict?.allowed)).toEqual([true, true, false])
  expect(lines).toHaveLength(1)
})
