import { testDatabases } from '@quire/testbed/test-databases'
import { type ColumnType, type Generated, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isUniqueViolation, StoreUnavailable } from './errors.ts'
import { fromJson, toJson } from './json.ts'
import { openStore, type Store, type StoreOptions } from './store.ts'

type Schema = {
  sample: {
    id: Generated<string>
    small: number | null
    large: number | null
    real: number | null
    bytes: ColumnType<Uint8Array | null>
  }
}

const migrations = {
  '001': {
    up: async (db: Store['db']) => {
      await db.schema
        .createTable('sample')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('small', 'integer')
        .addColumn('large', 'bigint')
        .addColumn('real', 'double precision')
        .addColumn('bytes', 'bytea')
        .execute()
    },
  },
}

describe.each(testDatabases)('a store on $kind', ({ kind, createDatabase }) => {
  let url: string
  let store: Store<Schema>
  let drop: () => Promise<void>

  beforeAll(async () => {
    ;({ url, drop } = await createDatabase())
    store = await openStore<Schema>(url)
    await store.migrate('test', migrations)
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  const open = async (options?: StoreOptions) => {
    const other = await openStore<Schema>(url, options)
    onTestFinished(() => other.close())
    return other
  }
  const insert = (id: string, db = store.db) => db.insertInto('sample').values({ id }).execute()
  const ids = async () => (await store.db.selectFrom('sample').select('id').execute()).map((row) => row.id)

  test('gives back what was stored, as plain objects', async () => {
    const row = { id: 'ünï€ 🎼', small: -1, large: 2 ** 53 - 1, real: 0.5, bytes: new Uint8Array([0, 255]) }
    await store.db.insertInto('sample').values(row).execute()
    const stored = await store.db
      .selectFrom('sample')
      .selectAll()
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow()
    expect(Object.getPrototypeOf(stored)).toBe(Object.prototype)
    expect({ ...stored, bytes: [...(stored.bytes ?? [])] }).toStrictEqual({ ...row, bytes: [0, 255] })
  })

  test('counts, sums and divides with numbers', async () => {
    await store.db
      .insertInto('sample')
      .values([
        { id: 'n1', large: 7 },
        { id: 'n2', large: 9 },
      ])
      .execute()
    const { rows } = await sql`
      select count(*) as count, sum(large) as sum, max(large) / ${sql.lit(2)} as half from sample where id in ('n1', 'n2')
    `.execute(store.db)
    expect(rows).toStrictEqual([{ count: 2, sum: 16, half: 4 }])
  })

  test('refuses to round a number past 2^53', async () => {
    await expect(sql`select 9007199254740993 as big`.execute(store.db)).rejects.toThrow(RangeError)
    await store.db
      .insertInto('sample')
      .values([
        { id: 'huge 1', large: 2 ** 53 - 1 },
        { id: 'huge 2', large: 2 ** 53 - 1 },
      ])
      .execute()
    const sum = sql`select sum(large) as sum from sample where id like 'huge%'`.execute(store.db)
    await expect(sum).rejects.toThrow(RangeError)
  })

  test.each([
    ['a Date', new Date(0), 'toISOString'],
    ['true', true, '0 or 1'],
    ['undefined', undefined, 'null'],
    ['NaN', Number.NaN, 'finite'],
    ['Infinity', Number.POSITIVE_INFINITY, 'finite'],
    ['a bigint past 2^53', 2n ** 53n, 'text'],
    ['text with NUL', 'a\0b', 'NUL'],
    ['an object', {}, 'toJson'],
    ['a symbol', Symbol('x'), 'symbol'],
  ])('refuses %s as a parameter', async (_, value, hint) => {
    await expect(sql`select ${value} as x, 1 as y`.execute(store.db)).rejects.toThrow(hint)
  })

  test('carries JSON through text, NUL and all', async () => {
    const value = { text: 'a\0b', list: [1, null, true], nested: { z: 1, a: 2 } }
    await store.db
      .insertInto('sample')
      .values({ id: toJson(value) })
      .execute()
    const row = await store.db
      .selectFrom('sample')
      .select('id')
      .where('id', '=', toJson(value))
      .executeTakeFirstOrThrow()
    expect(fromJson(row.id)).toStrictEqual(value)
  })

  test('refuses what has no JSON form', () => {
    expect(() => toJson(undefined)).toThrow('undefined')
  })

  test('tells a key that exists from every other fault', async () => {
    await insert('twice')
    const again = await insert('twice').catch((error: unknown) => error)
    const broken = await sql`select * from nowhere`.execute(store.db).catch((error: unknown) => error)
    expect([again, broken, 'text'].map(isUniqueViolation)).toStrictEqual([true, false, false])
  })

  test('commits all of a transaction and calls back afterwards', async () => {
    const seen: string[][] = []
    const result = await store.transaction(async (tx) => {
      tx.afterCommit(() => seen.push(['committed']))
      await insert('t1', tx.db)
      await insert('t2', tx.db)
      expect(seen).toStrictEqual([])
      return 'result'
    })
    expect([result, seen]).toStrictEqual(['result', [['committed']]])
    expect(await ids()).toEqual(expect.arrayContaining(['t1', 't2']))
  })

  test('undoes all of a transaction that throws and does not call back', async () => {
    const callback = vi.fn()
    const work = store.transaction(async (tx) => {
      tx.afterCommit(callback)
      await insert('gone', tx.db)
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
    expect(await ids()).not.toContain('gone')
    expect(callback).not.toHaveBeenCalled()
  })

  test('has committed even when what follows the commit throws', async () => {
    const error = vi.fn()
    const other = await open({ logger: { warn: vi.fn(), error } })
    const follower = vi.fn()
    await other.transaction(async (tx) => {
      tx.afterCommit(() => {
        throw new Error('follower failed')
      })
      tx.afterCommit(follower)
      await insert('kept', tx.db)
    })
    expect(await ids()).toContain('kept')
    expect([error.mock.calls.length, follower.mock.calls.length]).toStrictEqual([1, 1])
  })

  test.each([
    ['its own db', () => ids()],
    ['a second transaction', () => store.transaction(async () => undefined)],
    ['ping', () => store.ping()],
  ])('refuses %s inside a transaction at once', async (_, misuse) => {
    await expect(store.transaction<unknown>(misuse)).rejects.toThrow('use tx.db')
    await ids()
  })

  test('lets other work wait for a transaction, and work that outlives one go on', async () => {
    const order: string[] = []
    const started = Promise.withResolvers<void>()
    const outliving = Promise.withResolvers<unknown>()
    const transaction = store.transaction(async (tx) => {
      outliving.resolve(started.promise.then(() => ids()))
      await insert('o1', tx.db)
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push('transaction')
    })
    const bystander = ids().then(() => order.push('bystander'))
    await Promise.all([transaction, bystander])
    started.resolve()
    await expect(outliving.promise).resolves.toContain('o1')
    if (kind === 'sqlite') expect(order).toStrictEqual(['transaction', 'bystander'])
  })

  test('refuses the db of a transaction that is over', async () => {
    let leaked: Store<Schema>['db'] | undefined
    await store.transaction(async (tx) => {
      leaked = tx.db
    })
    await expect(insert('leaked', leaked)).rejects.toThrow(/committed/i)
  })

  test('gives up a transaction that does not end, and goes on', async () => {
    const impatient = await open({ transactionTimeoutMs: 50 })
    const endless = impatient.transaction(async (tx) => {
      await insert('endless', tx.db)
      await new Promise(() => undefined)
    })
    await expect(endless).rejects.toThrow(StoreUnavailable)
    await insert('after endless', impatient.db)
    expect(await ids()).not.toContain('endless')
  })

  test('sees a column that was added by itself or by another process', async () => {
    const other = await open()
    await sql`create table growing (a integer)`.execute(store.db)
    await sql`insert into growing values (1)`.execute(store.db)
    const read = async () => (await sql`select * from growing`.execute(store.db)).rows
    expect(await read()).toStrictEqual([{ a: 1 }])
    await sql`alter table growing add column b integer default 2`.execute(store.db)
    expect(await read()).toStrictEqual([{ a: 1, b: 2 }])
    await sql`alter table growing add column c integer default 3`.execute(other.db)
    expect(await read()).toStrictEqual([{ a: 1, b: 2, c: 3 }])
    await sql`alter table growing rename column a to z`.execute(store.db)
    expect(await read()).toStrictEqual([{ z: 1, b: 2, c: 3 }])
  })

  test('a migration that fails leaves nothing behind and says which it was', async () => {
    const failing = {
      '001_good': {
        up: async (db: Store['db']) => db.schema.createTable('half').addColumn('id', 'text').execute(),
      },
      '002_bad': { up: async () => Promise.reject(new Error('no such luck')) },
    }
    await expect(store.migrate('failing', failing)).rejects.toThrow(/002_bad of failing .*no such luck/)
    await expect(sql`select * from half`.execute(store.db)).rejects.toThrow('half')
  })

  test.each(['', 'Teams', 'a b', '1st', 'x"y', 'a'.repeat(40)])(
    'refuses %j as an owner of migrations',
    async (owner) => {
      await expect(store.migrate(owner, {})).rejects.toThrow('owner')
    },
  )

  test('answers a ping until it is closed, and closes twice', async () => {
    const other = await open()
    await other.ping()
    await Promise.all([other.close(), other.close()])
    await expect(other.ping()).rejects.toThrow()
  })
})

test.each([
  'mysql://host/db',
  'sqlite',
  '',
  'file:x.db',
  'http://x',
  'SQLITE:x',
  'sqlite:',
  'sqlite://host/x.db',
])('refuses %j as an address and says what to write', async (url) => {
  await expect(openStore(url)).rejects.toThrow('sqlite:')
})
