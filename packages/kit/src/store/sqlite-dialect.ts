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
import { createGroupCommit, type GroupMember } from './group-commit.ts'
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

/** The connection, for as long as one caller has it. */
interface Held extends DatabaseConnection, GroupMember {
  isInTransaction: boolean
}

function createDriver({ database, path, scope, acquireTimeoutMs }: SqliteDialectOptions): Driver {
  const lock = createConnectionLock(acquireTimeoutMs)
  const connection = createSqliteConnection(database, { path, busyTimeoutMs: acquireTimeoutMs })
  const group = createGroupCommit({
    async run(sql) {
      await connection.executeQuery(CompiledQuery.raw(sql))
    },
    isTransaction: () => database.isTransaction,
  })

  function hold(): Held {
    const held: Held = {
      ...{ isInTransaction: false, isJoined: false, isLeft: false, isOver: false },
      async executeQuery<Row>(query: CompiledQuery) {
        // What is not committed is nobody's but its transaction's.
        if (!held.isInTransaction) await group.flush()
        return connection.executeQuery<Row>(query)
      },
      streamQuery: connection.streamQuery,
    }
    return held
  }

  // Whatever comes back to the driver was handed out by it.
  const asHeld = (on: DatabaseConnection) => on as Held
  return {
    async init() {},
    async acquireConnection() {
      scope.assertOutside()
      await lock.acquire()
      return hold()
    },
    async releaseConnection(on) {
      if (asHeld(on).isLeft) return
      try {
        if (!lock.isWanted()) await group.flush()
      } finally {
        lock.release()
      }
    },
    // A deferred transaction that reads before it writes is refused as soon as another process wrote in between.
    async beginTransaction(on) {
      await group.begin(asHeld(on))
      asHeld(on).isInTransaction = true
    },
    commitTransaction: (on) => group.commit(asHeld(on), lock.handOn),
    rollbackTransaction: (on) => group.rollback(asHeld(on)),
    async destroy() {
      database.close()
    },
  }
}
