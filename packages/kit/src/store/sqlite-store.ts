import { Kysely } from 'kysely'
import { checkMessage, createChannels } from './channels.ts'
import { migrate } from './migrate.ts'
import { ping } from './ping.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { MEMORY, openSqliteFile } from './sqlite-file.ts'
import { watchOtherWriters } from './sqlite-watch.ts'
import type { OnMessage, Store, StoreOptions } from './store.ts'
import { createTransactionScope } from './transaction.ts'

export function openSqliteStore<Schema>(
  path: string,
  { logger, transactionTimeoutMs = 30_000, acquireTimeoutMs = 10_000 }: StoreOptions,
): Store<Schema> {
  const database = openSqliteFile(path)
  const scope = createTransactionScope({ timeoutMs: transactionTimeoutMs, logger })
  const db = new Kysely<Schema>({ dialect: createSqliteDialect({ database, path, scope, acquireTimeoutMs }) })
  const channels = createChannels(logger)
  let stopWatching: (() => void) | undefined

  function listen(channel: string, onMessage: OnMessage): () => void {
    const remove = channels.add(channel, onMessage)
    if (path !== MEMORY) stopWatching ??= watchOtherWriters(database, channels.deliverAll, logger)
    return () => {
      remove()
      if (!channels.isEmpty()) return
      stopWatching?.()
      stopWatching = undefined
    }
  }

  const store: Store<Schema> = Object.freeze({
    kind: 'sqlite' as const,
    db,
    transaction: (work) => scope.run(db, work),
    migrate: (owner, migrations) => migrate(store.as<unknown>().db, owner, migrations),
    ping: (options) => ping(db, options),
    listen,
    async notify(channel, payload, tx) {
      checkMessage(channel, payload)
      tx.afterCommit(() => channels.deliver(channel, payload))
    },
    // The schema exists in the type only.
    as: <Other>() => store as unknown as Store<Other>,
    async close() {
      stopWatching?.()
      if (database.isOpen) database.close()
    },
  } satisfies Store<Schema>)
  return store
}
