import pg from 'pg'
import { fromPostgresError } from './errors.ts'
import { connectionSettings, endConnection } from './postgres-pool.ts'
import type { StoreLogger } from './store.ts'

const CONNECT_TIMEOUT_MS = 10_000
const WAIT_TIMEOUT_MS = 60_000

/** Holds a connection of its own, with which the lock goes: the pool may have a single one, and the work needs it. */
export async function withPostgresLock<Result>(
  url: string,
  name: string,
  work: () => Promise<Result>,
  logger: StoreLogger | undefined,
): Promise<Result> {
  const client = new pg.Client({
    ...connectionSettings(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: WAIT_TIMEOUT_MS,
    query_timeout: WAIT_TIMEOUT_MS + 5_000,
  })
  client.on('error', (error) => logger?.warn({ err: error, lock: name }, 'the connection of a lock was lost'))
  try {
    await acquire(client, name)
    return await work()
  } finally {
    await endConnection(client)
  }
}

async function acquire(client: pg.Client, name: string): Promise<void> {
  try {
    await client.connect()
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
  } catch (error) {
    throw fromPostgresError(error)
  }
}
