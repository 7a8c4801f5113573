import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fromSqliteError, StoreCorrupt } from './errors.ts'

export const MEMORY = ':memory:'

/** SQLite waits this long by itself, with the event loop standing still; what takes longer is waited for outside. */
const BUSY_TIMEOUT_MS = 10
/** The whole file is read to check it, some 100 MB in a tenth of a second; past this only what is used is. */
const CHECKED_BYTES = 256 * 1024 * 1024

/** Opens the file, or creates it for this user alone. A damaged one is refused and left as it is. */
export function openSqliteFile(path: string): DatabaseSync {
  if (path === '' || /^\/\/[^/]/.test(path) || path.includes('\0'))
    throw new Error(
      `sqlite:${path} names no file: write sqlite:/absolute/file.db, sqlite:relative/file.db or sqlite:${MEMORY}`,
    )
  if (path === MEMORY) return configure(new DatabaseSync(MEMORY))
  const file = resolve(path)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'a', 0o600))
    checkFile(file)
    return configure(new DatabaseSync(file, { timeout: 5_000 }))
  } catch (error) {
    throw toOpenError(error, file)
  }
}

function configure(database: DatabaseSync): DatabaseSync {
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return database
}

/** Read-only, so that nothing is repaired, checkpointed or converted before we know that the file is sound. */
function checkFile(file: string): void {
  const { size } = statSync(file)
  if (size === 0) return
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    database.prepare('select count(*) from sqlite_schema').get()
    if (size > CHECKED_BYTES) return
    const verdict = database.prepare('pragma quick_check(1)').get()?.quick_check
    if (verdict !== 'ok') throw new StoreCorrupt(file, new Error(String(verdict)))
  } finally {
    database.close()
  }
}

function toOpenError(error: unknown, file: string): unknown {
  if (error instanceof StoreCorrupt) return error
  const translated = fromSqliteError(error, file)
  if (translated instanceof StoreCorrupt) return translated
  const reason = error instanceof Error ? error.message : error
  return new Error(`The database file ${file} cannot be opened: ${reason}`, { cause: error })
}
