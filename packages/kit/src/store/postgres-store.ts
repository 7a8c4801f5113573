import { Kysely, PostgresDialect, sql } from 'kysely'
import { checkMessage, createChannels } from './channels.ts'
import { fromPostgresError } from './errors.ts'
import { migrate } from './migrate.ts'
import { ping } from './ping.ts'
import { createPostgresListener } from './postgres-listener.ts'
import { withPostgresLock } from './postgres-lock.ts'
import { createPostgresPool, toGuardedPool } from './postgres-pool.ts'
import type { OnMessage, Store, StoreOptions } from './store.ts'
import { createTransactionScope } from './transaction.ts'

export async function openPostgresStore<Schema>(
  url: string,
  { logger, transactionTimeoutMs = 30_000, acquireTimeoutMs = 10_000, poolSize = 10 }: StoreOptions,
): Promise<Store<Schema>> {
  const pool = createPostgresPool(url, { size: poolSize, acquireTimeoutMs, transactionTimeoutMs, logger })
  const scope = createTransactionScope({ timeoutMs: transactionTimeoutMs, logger })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: toGuardedPool(pool, scope) }) })
  // To look for its tables the migrator binds flags, which our own tables do not have.
  const uncheckedPool = toGuardedPool(pool, scope, () => undefined)
  const migrationDb = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: uncheckedPool }) })
  const channels = createChannels(logger)
  const listener = createPostgresListener(url, channels, logger)
  let closing: Promise<void> | undefined

  function listen(channel: string, onMessage: OnMessage): () => void {
    const isFirst = !channels.has(channel)
    const remove = channels.add(channel, onMessage)
    if (isFirst) listener.start(channel)
    return () => {
      remove()
      if (!channels.has(channel)) listener.stop(channel)
    }
  }

  const store: Store<Schema> = Object.freeze({
    kind: 'postgres' as const,
    db,
    transaction: (work) => scope.run(db, work),
    migrate: (owner, migrations) => migrate(migrationDb, owner, migrations),
    ping: (options) => ping(db, options),
    listen,
    async notify(channel, payload, tx) {
      checkMessage(channel, payload)
      await sql`select pg_notify(${channel}, ${payload})`.execute(tx.as<unknown>().db)
    },
    // The schema exists in the type only.
    as: <Other>() => store as unknown as Store<Other>,
    close() {
      closing ??= Promise.all([listener.close(), pool.end()]).then(() => undefined)
      return closing
    },
    postgres: Object.freeze({
      async query(text: string, parameters?: unknown[]) {
        scope.assertOutside()
        try {
          return await pool.query(text, parameters)
        } catch (error) {
          throw fromPostgresError(error)
        }
      },
      withLock: <Result>(name: string, work: () => Promise<Result>) =>
        withPostgresLock(url, name, work, logger),
    }),
  } satisfies Store<Schema>)

  try {
    await store.ping({ timeoutMs: acquireTimeoutMs })
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}
