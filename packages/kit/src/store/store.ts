import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Logger } from '../log.ts'

/*
 * One SQL for two databases. What keeps code that was tested on one of them right on the other:
 *
 * - Column types: `text`, `integer` (32 bits), `bigint`, `double precision`, `bytea`.
 * - Times are ISO 8601 text with `Z`, or epoch milliseconds in a `bigint` where they are compared. Flags are an `integer`, 0 or 1.
 * - JSON lives in `text` columns, through `toJson` and `fromJson`.
 * - Parameters are strings without NUL, finite numbers, safe integers (bigint or number), bytes and null. Anything else is refused.
 * - Integers and sums come back as numbers; one past 2^53 is an error, never a rounded value.
 * - Inside `transaction` use `tx.db`: the store's own `db` refuses, on both databases, where SQLite would wait for itself for ever.
 * - No `for update`, no `ilike`, no `with` that changes data: SQLite has none of them. A transaction on SQLite is the only writer.
 * - Transactions do not nest: hand `tx` on. Two that write the same rows (or append to the same two streams) write them in the
 *   same order, by id; in opposite orders PostgreSQL ends one of them with StoreUnavailable, and SQLite never shows it.
 */
export type Store<Schema = unknown> = Readonly<{
  kind: 'sqlite' | 'postgres'
  db: Kysely<Schema>
  /** Rolled back when `work` throws or is slower than the deadline. */
  transaction<Result>(work: (tx: Transaction<Schema>) => Promise<Result>): Promise<Result>
  /** Brings the tables of one owner up to date. Safe while other processes do the same. */
  migrate(owner: string, migrations: Record<string, Migration>): Promise<void>
  /** Rejects with StoreUnavailable when the database does not answer in time. */
  ping(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>
  /**
   * Calls back for every message on the channel, from any process. A payload of null says: read again. It comes whenever
   * the connection to PostgreSQL is made, since messages may have been missed before, and whenever another process has
   * written to the SQLite file, which does not tell what. Returns the function that ends it.
   */
  listen(channel: string, onMessage: OnMessage): () => void
  /** Announces what `tx` has written, once it is committed. */
  notify(channel: string, payload: string, tx: AnyTransaction): Promise<void>
  /** The same store, seen through the tables of another owner. */
  as<Other>(): Store<Other>
  /** Idempotent. */
  close(): Promise<void>
  /** Of PostgreSQL only. */
  postgres?: PostgresAccess
}>

/** Plain SQL, for libraries that bring their own. */
export type PostgresAccess = Readonly<{
  query(text: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>
  /** Does the work while no other process does work of that name. */
  withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}>

export type AnyStore = Omit<Store, 'db' | 'transaction'>

export type Transaction<Schema = unknown> = Readonly<{
  db: Kysely<Schema>
  /**
   * Runs after a successful commit, in the order of the calls, never after a rollback; a crash in between loses it. It is
   * outside of the transaction, is not waited for, and what it throws is logged: the commit stands.
   */
  afterCommit(work: () => void): void
  as<Other>(): Transaction<Other>
}>

export type AnyTransaction = Omit<Transaction, 'db'>

export type OnMessage = (payload: string | null) => void

export type StoreOptions = {
  logger?: StoreLogger
  /** Of one transaction. */
  transactionTimeoutMs?: number
  /** For a free connection, or for another process to let go of the SQLite file. */
  acquireTimeoutMs?: number
  /** Connections to PostgreSQL, apart from the one that listens. */
  poolSize?: number
}

export type StoreLogger = Pick<Logger, 'warn' | 'error'>

/** `url` is `sqlite:PATH`, `sqlite::memory:`, `postgres://…` or `postgresql://…`. */
export async function openStore<Schema>(url: string, options: StoreOptions = {}): Promise<Store<Schema>> {
  const scheme = url.slice(0, url.indexOf(':') + 1)
  if (scheme === 'sqlite:') {
    const { openSqliteStore } = await import('./sqlite-store.ts')
    return openSqliteStore(url.slice(scheme.length), options)
  }
  if (scheme === 'postgres:' || scheme === 'postgresql:') {
    const { openPostgresStore } = await import('./postgres-store.ts')
    return openPostgresStore(url, options)
  }
  throw new Error(
    `The database address must start with "sqlite:", "postgres:" or "postgresql:", not with ${JSON.stringify(scheme || url.slice(0, 8))}: write sqlite:PATH or postgres://user@host/database.`,
  )
}
