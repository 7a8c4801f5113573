import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { StoreCorrupt, StoreUnavailable } from './errors.ts'
import { openStore, type StoreOptions } from './store.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-sqlite-'))
  file = join(folder, 'new', 'deep', 'store.db')
})
afterEach(() => rm(folder, { recursive: true }))

async function openFile(options?: StoreOptions) {
  const store = await openStore<{ t: { id: number; text: string } }>(`sqlite:${file}`, options)
  onTestFinished(() => store.close())
  await sql`create table if not exists t (id integer primary key, text text not null)`.execute(store.db)
  return store
}

test('creates folder and file for this user alone', async () => {
  await openFile()
  const modes = [join(folder, 'new'), join(folder, 'new', 'deep'), file, `${file}-wal`].map(async (path) =>
    ((await stat(path)).mode & 0o777).toString(8),
  )
  expect(await Promise.all(modes)).toStrictEqual(['700', '700', '600', '600'])
})

test('makes every commit durable', async () => {
  const store = await openFile()
  const values = ['journal_mode', 'synchronous', 'foreign_keys'].map(async (name) =>
    Object.values((await sql<object>`pragma ${sql.raw(name)}`.execute(store.db)).rows[0] ?? {}),
  )
  expect(await Promise.all(values)).toStrictEqual([['wal'], [2], [1]])
})

test('keeps a database in memory apart from every other', async () => {
  const [one, other] = await Promise.all([openStore('sqlite::memory:'), openStore('sqlite::memory:')])
  await sql`create table only_here (id integer)`.execute(one.db)
  await expect(sql`select * from only_here`.execute(other.db)).rejects.toThrow('only_here')
  await Promise.all([one.close(), other.close()])
})

test.each([
  ['text', (path: string) => writeFile(path, 'dear diary, today I am not a database at all')],
  ['noise', (path: string) => writeFile(path, randomBytes(40_000))],
  ['a truncated database', async (path: string) => truncate(path, (await stat(path)).size / 2)],
  ['a database with a zeroed page', (path: string) => overwrite(path, 4096, Buffer.alloc(4096))],
  ['a database with noise in it', (path: string) => overwrite(path, 4200, Buffer.alloc(6000, 0x5a))],
])('refuses %s and leaves the file as it is', async (_, damage) => {
  const store = await openFile()
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, text: 'x'.repeat(40) }))
  await store.db.insertInto('t').values(rows).execute()
  await store.close()
  await damage(file)
  const before = await readFile(file)
  await expect(openFile()).rejects.toThrow(StoreCorrupt)
  await expect(openFile()).rejects.toThrow(/store\.db is damaged .*restore a backup/)
  expect(await readFile(file)).toStrictEqual(before)
})

test('reads on after a write-ahead log was cut short, up to the last whole commit', async () => {
  const store = await openFile()
  for (const id of [1, 2, 3]) await store.db.insertInto('t').values({ id, text: 'x' }).execute()
  const copy = join(folder, 'copy.db')
  await writeFile(copy, await readFile(file))
  const log = await readFile(`${file}-wal`)
  await writeFile(`${copy}-wal`, log.subarray(0, log.length - 100))
  file = copy
  const recovered = await openFile()
  expect((await recovered.db.selectFrom('t').select('id').execute()).map(({ id }) => id)).toStrictEqual([
    1, 2,
  ])
})

test('says which file cannot be opened', async () => {
  file = folder
  await expect(openFile()).rejects.toThrow(`${folder} cannot be opened`)
})

test('waits for another process without standing still, then gives up, then works again', async () => {
  const store = await openFile({ acquireTimeoutMs: 300 })
  const stranger = new DatabaseSync(file)
  stranger.exec('begin immediate')
  let ticks = 0
  const ticker = setInterval(() => ticks++, 5)
  const write = () => store.db.insertInto('t').values({ id: 1, text: 'x' }).execute()
  await expect(write()).rejects.toThrow(StoreUnavailable)
  await expect(store.transaction(async () => 'never')).rejects.toThrow(
    'another process holds the file locked',
  )
  clearInterval(ticker)
  expect(ticks).toBeGreaterThan(10)
  expect(await store.db.selectFrom('t').selectAll().execute()).toStrictEqual([])
  const patient = write()
  stranger.exec('commit')
  stranger.close()
  await patient
})

test('a full disk refuses writes with 503, keeps reading, and recovers', async () => {
  const store = await openFile()
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db)
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 2)}`.execute(store.db)
  const fill = store.transaction(async (tx) => {
    for (let id = 1; ; id++)
      await tx.db
        .insertInto('t')
        .values({ id, text: 'x'.repeat(2_000) })
        .execute()
  })
  const error = await fill.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(StoreUnavailable)
  expect(error).toMatchObject({
    problem: { status: 503 },
    message: expect.stringContaining('the disk is full'),
  })
  expect(await store.db.selectFrom('t').selectAll().execute()).toStrictEqual([])
  await sql`pragma max_page_count = 100000`.execute(store.db)
  await store.db.insertInto('t').values({ id: 1, text: 'room again' }).execute()
})

test('a caller that waits too long for a transaction is told so', async () => {
  const store = await openFile({ acquireTimeoutMs: 50 })
  const release = Promise.withResolvers<void>()
  const holding = store.transaction(() => release.promise)
  await expect(store.ping()).rejects.toThrow('busy for 50 ms')
  release.resolve()
  await holding
  await store.ping()
})

test('does not keep every statement it has ever seen', async () => {
  const store = await openFile()
  for (let number = 0; number < 600; number++) await sql`select ${sql.lit(number)} as n`.execute(store.db)
  const { rows } = await sql`select 0 as n`.execute(store.db)
  expect(rows).toStrictEqual([{ n: 0 }])
})

test('leaves no file beside the database when it is closed', async () => {
  const store = await openFile()
  await store.close()
  expect(await readdir(join(folder, 'new', 'deep'))).toStrictEqual(['store.db'])
})

async function overwrite(path: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.write(bytes, 0, bytes.length, position)
  await handle.close()
}
