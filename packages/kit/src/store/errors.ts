import { CallerError } from '../errors.ts'

/** The database cannot do its work at the moment: locked, full, gone. Rendered as 503. */
export class StoreUnavailable extends CallerError {
  constructor(reason: string, cause?: unknown) {
    super('unavailable', `The database is not available: ${reason}. Try again shortly.`, {
      headers: { 'Retry-After': '1' },
      cause,
    })
    this.name = 'StoreUnavailable'
  }
}

/** The database file is damaged. It is never written to. */
export class StoreCorrupt extends Error {
  constructor(path: string, cause: unknown) {
    super(
      `${path} is damaged or is not a SQLite database (${toLine(cause)}). The file is kept as it is: restore a backup, or move it away to start with an empty one.`,
      { cause },
    )
    this.name = 'StoreCorrupt'
  }
}

function toLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ')
}

/** A row with this key exists already, on either database. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && typeof error.errcode === 'number') return SQLITE_UNIQUE.has(error.errcode)
  return 'code' in error && error.code === '23505'
}

// SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE, _ROWID
const SQLITE_UNIQUE = new Set([1555, 2067, 2579])

const SQLITE_REASONS = new Map([
  [5, 'another process holds the file locked'],
  [6, 'a table is locked'],
  [8, 'the file cannot be written to'],
  [10, 'reading or writing the file failed'],
  [13, 'the disk is full'],
  [14, 'the file cannot be opened'],
])

export const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** The primary result code, or undefined when SQLite did not raise the error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  return error.errcode & 0xff
}

export function fromSqliteError(error: unknown, path: string): unknown {
  const code = sqliteCode(error)
  if (code === undefined) return error
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return new StoreCorrupt(path, error)
  const reason = SQLITE_REASONS.get(code)
  return reason === undefined ? error : new StoreUnavailable(reason, error)
}

const POSTGRES_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(08|57P0|E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND))/, 'the server cannot be reached'],
  [/^53/, 'the server is out of disk, memory or connections'],
  [/^58/, 'reading or writing on the server failed'],
  [/^(57014|55P03|25P0[34])/, 'the server was too slow'],
  [/^(40001|40P01)/, 'the transaction collided with another one'],
]

// The driver gives these no code.
const POSTGRES_LOST = /terminated|timeout|not queryable|has been discarded|Cannot use a pool/

export function fromPostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined)
    return POSTGRES_LOST.test(error.message) ? new StoreUnavailable('the connection was lost', error) : error
  const reason = POSTGRES_REASONS.find(([pattern]) => pattern.test(code))?.[1]
  return reason === undefined ? error : new StoreUnavailable(reason, error)
}
