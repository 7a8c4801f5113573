import type { DatabaseSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createConnectionLock } from './connection-lock.ts'
import { createSqliteConnection } from './sqlite-connection.ts'
import type { TransactionScope } from './transaction.ts'

export type SqliteDialectOptions = {
  database: DatabaseSync
  path: string
  scope: TransactionScope
  acquireTimeoutMs: number
}

export function createSqliteDialect(options: SqliteDialectOptions): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => createDriver(options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class Adapter extends SqliteAdapter {
  /** The driver has its own lock, which can tell a second caller from a transaction that would wait for itself. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
  /** So the migrations of one owner are one transaction, and the second of two processes finds them done. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

function createDriver({ database, path, scope, acquireTimeoutMs }: SqliteDialectOptions): Driver {
  const lock = createConnectionLock(acquireTimeoutMs)
  const connection = createSqliteConnection(database, { path, busyTimeoutMs: acquireTimeoutMs })
  const execute = async (on: DatabaseConnection, sql: string) => {
    await on.executeQuery(CompiledQuery.raw(sql))
  }
  return {
    async init() {},
    async acquireConnection() {
      scope.assertOutside()
      await lock.acquire()
      return connection
    },
    async releaseConnection() {
      lock.release()
    },
    // A deferred transaction that reads before it writes is refused as soon as another process wrote in between.
    beginTransaction: (on) => execute(on, 'begin immediate'),
    commitTransaction: (on) => execute(on, 'commit'),
    async rollbackTransaction(on) {
      // A full disk has rolled back already.
      if (database.isTransaction) await execute(on, 'rollback')
    },
    async destroy() {
      database.close()
    },
  }
}
