import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { fromSqliteError, SQLITE_BUSY, sqliteCode } from './errors.ts'
import { checkParameter } from './parameters.ts'

const CACHED_STATEMENTS = 256

/** Where a statement may change the columns that others return. */
const CHANGES_COLUMNS = /^\s*(alter|drop)/i

type Prepared = { statement: StatementSync; columns: string[] }

export type SqliteConnectionOptions = { path: string; busyTimeoutMs: number }

export function createSqliteConnection(
  database: DatabaseSync,
  { path, busyTimeoutMs }: SqliteConnectionOptions,
): DatabaseConnection {
  const statements = createStatementCache(database)

  function execute<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    const prepared = statements.prepare(sql)
    const values = parameters.map(toSqliteValue)
    if (prepared.columns.length > 0) return { rows: toRows<Row>(prepared, prepared.statement.all(...values)) }
    const { changes, lastInsertRowid } = prepared.statement.run(...values)
    if (CHANGES_COLUMNS.test(sql)) statements.clear()
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** Waiting for another process's transaction must not stop the event loop, so most of the wait is ours. */
  async function executeWhenFree<Row>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    const deadline = performance.now() + busyTimeoutMs
    for (let attempt = 1; ; attempt++) {
      try {
        return execute(sql, parameters)
      } catch (error) {
        const isFinal =
          sqliteCode(error) !== SQLITE_BUSY || database.isTransaction || performance.now() >= deadline
        if (isFinal) throw fromSqliteError(error, path)
      }
      await delay(Math.random() * Math.min(5 * attempt, 50))
    }
  }

  return {
    executeQuery: <Row>({ sql, parameters }: CompiledQuery) => executeWhenFree<Row>(sql, parameters),
    streamQuery() {
      throw new Error('The store reads pages, not streams: use limit.')
    },
  }
}

function createStatementCache(database: DatabaseSync) {
  const cache = new Map<string, Prepared>()
  return {
    clear: () => cache.clear(),
    prepare(sql: string): Prepared {
      const cached = cache.get(sql)
      if (cached !== undefined) return cached
      // All at once: to keep the order of their use would cost every query more than it saves the few that are prepared again.
      if (cache.size >= CACHED_STATEMENTS) cache.clear()
      const prepared = prepareStatement(database, sql)
      cache.set(sql, prepared)
      return prepared
    },
  }
}

function prepareStatement(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql)
  // Arrays cost a third of the objects without prototype that it makes otherwise.
  statement.setReturnArrays(true)
  return { statement, columns: readColumns(statement) }
}

function readColumns(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function toSqliteValue(value: unknown, position: number): SQLInputValue {
  checkParameter(value, position)
  // A number would be bound as a double, and 7 / 2 is 3 for integers only.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return value as SQLInputValue // the check above leaves nothing else
}

function toRows<Row>(prepared: Prepared, rows: unknown[]): Row[] {
  // With setReturnArrays a row is an array, which the types of Node do not say.
  const arrays = rows as SQLOutputValue[][]
  // Another process may have added or dropped a column since the statement was prepared.
  if (arrays[0] !== undefined && arrays[0].length !== prepared.columns.length)
    prepared.columns = readColumns(prepared.statement)
  return arrays.map((cells) => {
    const row: Record<string, SQLOutputValue> = {}
    prepared.columns.forEach((column, index) => {
      row[column] = cells[index] ?? null
    })
    return row as Row // the shape is what the query builder inferred
  })
}
