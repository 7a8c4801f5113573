import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { fromPostgresError } from './errors.ts'
import { checkParameter } from './parameters.ts'
import type { StoreLogger } from './store.ts'
import type { TransactionScope } from './transaction.ts'

export type PostgresPoolOptions = {
  size: number
  acquireTimeoutMs: number
  transactionTimeoutMs: number
  logger: StoreLogger | undefined
}

const STATEMENT_TIMEOUT_MS = 30_000
const INT8 = 20
const NUMERIC = 1700

export function createPostgresPool(url: string, options: PostgresPoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionSettings(url),
    max: options.size,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that went silent is noticed here, a little after it should have given up by itself.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    idle_in_transaction_session_timeout: options.transactionTimeoutMs,
    types: { getTypeParser },
  })
  // Without listeners the loss of an idle or a reserved connection would end the process.
  const onLost = (error: Error) => options.logger?.warn({ err: error }, 'a connection to PostgreSQL was lost')
  pool.on('error', onLost)
  pool.on('connect', (client) => client.on('error', onLost))
  return pool
}

export function connectionSettings(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'quire',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

export async function endConnection(client: pg.Client): Promise<void> {
  // It may be half open or closed already: there is nobody left to tell.
  await Promise.race([client.end().catch(() => undefined), delay(1_000, undefined, { ref: false })])
}

/** What the query builder sees of the pool: guarded against use inside a transaction, parameters checked, errors translated. */
export function toGuardedPool(
  pool: pg.Pool,
  scope: TransactionScope,
  check: typeof checkPostgresParameter = checkPostgresParameter,
): PostgresPool {
  const guarded = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      scope.assertOutside()
      const client = await pool.connect().catch(rethrow)
      const known = guarded.get(client) ?? toGuardedClient(client, check)
      guarded.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

function toGuardedClient(client: pg.PoolClient, check: typeof checkPostgresParameter): PostgresPoolClient {
  // One shape for the two overloads of the builder's interface; cursors are not in use.
  const query = (text: unknown, parameters: unknown[] = []) => {
    parameters.forEach(check)
    return client.query(String(text), parameters).catch(rethrow)
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy?: boolean) => client.release(destroy),
  }
}

/** Libraries that bring their own SQL bind lists of ids; the query builder never binds a list. */
function checkPostgresParameter(value: unknown, position: number): void {
  if (Array.isArray(value)) for (const item of value) checkParameter(item, position)
  else checkParameter(value, position)
}

function rethrow(error: unknown): never {
  throw fromPostgresError(error)
}

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (type, format) => {
  if (Number(type) === INT8) return parseInteger
  if (Number(type) === NUMERIC) return parseNumeric
  return pg.types.getTypeParser(type, format)
}

/** Sums of integers. */
function parseNumeric(text: string): number {
  return /^-?\d+$/.test(text) ? parseInteger(text) : Number(text)
}

function parseInteger(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`The database holds ${text}, which is past 2^53: such numbers are stored as text.`)
}
