import { type Kysely, sql } from 'kysely'
import { fromJson } from '../store/json.ts'
import type { AnyTransaction, Store } from '../store/store.ts'
import type { LoggedEvent, NewEvent } from './event-log.ts'

type EventRow = { stream: string; seq: number; type: string; at: string; data: string }

type Schema = {
  event: EventRow
  /** Its row is locked from the first append to the commit: numbers stay dense and commits in order. */
  stream: { stream: string; last_seq: number }
}

/** Databases bind no more than some ten thousand parameters at once. */
const ROWS_PER_INSERT = 1_000

export type EventTable<Event extends NewEvent> = ReturnType<typeof createEventTable<Event>>

export function createEventTable<Event extends NewEvent>(anyStore: Store, name: string) {
  const store = anyStore.as<Schema>()
  // The owner of the log chooses the names; the columns are those of the schema above.
  const eventTable = `${name}_event` as 'event'
  const streamTable = `${name}_stream` as 'stream'

  function toEvent(row: EventRow): LoggedEvent<Event> {
    const { stream, seq, type, at } = row
    // Written by `append`, whose events have this type.
    return Object.freeze({ stream, seq, type, at, data: fromJson(row.data) }) as LoggedEvent<Event>
  }

  const select = () => store.db.selectFrom(eventTable).select(['stream', 'seq', 'type', 'at', 'data'])

  return Object.freeze({
    migrate: () =>
      store.migrate(`${name}_log`, {
        '001_tables': { up: (db: Kysely<unknown>) => createTables(db, store.kind, eventTable, streamTable) },
      }),

    /** Returns the number of the first. */
    async insert(
      rows: readonly Omit<EventRow, 'seq'>[],
      stream: string,
      tx: AnyTransaction,
    ): Promise<number> {
      const { db } = tx.as<Schema>()
      const { last_seq } = await db
        .insertInto(streamTable)
        .values({ stream, last_seq: rows.length })
        .onConflict((conflict) =>
          conflict
            .column('stream')
            .doUpdateSet((row) => ({ last_seq: row(`${streamTable}.last_seq`, '+', rows.length) })),
        )
        .returning('last_seq')
        .executeTakeFirstOrThrow()
      const first = last_seq - rows.length + 1
      const numbered = rows.map((row, index) => ({ ...row, seq: first + index }))
      for (let start = 0; start < numbered.length; start += ROWS_PER_INSERT)
        await db
          .insertInto(eventTable)
          .values(numbered.slice(start, start + ROWS_PER_INSERT))
          .execute()
      return first
    },

    async readAfter(stream: string, seq: number, limit: number): Promise<LoggedEvent<Event>[]> {
      const rows = await select()
        .where('stream', '=', stream)
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map(toEvent)
    },

    async readLast(stream: string, count: number): Promise<LoggedEvent<Event>[]> {
      const rows = await select().where('stream', '=', stream).orderBy('seq', 'desc').limit(count).execute()
      return rows.map(toEvent).reverse()
    },

    /** The last number of each stream that exists. */
    async readHeads(streams: readonly string[]): Promise<Map<string, number>> {
      const rows = await store.db
        .selectFrom(streamTable)
        .select(['stream', 'last_seq'])
        .where('stream', 'in', streams)
        .execute()
      return new Map(rows.map(({ stream, last_seq }) => [stream, last_seq]))
    },

    async remove(stream: string, tx: AnyTransaction): Promise<void> {
      const { db } = tx.as<Schema>()
      await db.deleteFrom(streamTable).where('stream', '=', stream).execute()
      await db.deleteFrom(eventTable).where('stream', '=', stream).execute()
    },
  })
}

async function createTables(
  db: Kysely<unknown>,
  kind: Store['kind'],
  eventTable: string,
  streamTable: string,
): Promise<void> {
  await db.schema
    .createTable(streamTable)
    .addColumn('stream', 'text', (column) => column.primaryKey())
    .addColumn('last_seq', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable(eventTable)
    .addColumn('stream', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${eventTable}_key`, ['stream', 'seq'])
    // In the order of the key, instead of once by number and once by key.
    .$call((table) => (kind === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute()
}
