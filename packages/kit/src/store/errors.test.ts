import { expect, test } from 'vitest'
import { fromPostgresError, fromSqliteError, StoreCorrupt, StoreUnavailable } from './errors.ts'

const postgres = (message: string, code?: string) => Object.assign(new Error(message), code && { code })
const sqlite = (errcode: number) => Object.assign(new Error('raised'), { code: 'ERR_SQLITE_ERROR', errcode })

test.each([
  ['08006', 'x'],
  ['57P01', 'terminating connection due to administrator command'],
  ['57P03', 'the database system is starting up'],
  ['53100', 'could not extend file: No space left on device'],
  ['53300', 'sorry, too many clients already'],
  ['57014', 'canceling statement due to statement timeout'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout'],
  ['40P01', 'deadlock detected'],
  ['ECONNREFUSED', 'connect ECONNREFUSED'],
  ['ECONNRESET', 'read ECONNRESET'],
  ['EPIPE', 'write EPIPE'],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND db'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db'],
  [undefined, 'Connection terminated unexpectedly'],
  [undefined, 'timeout exceeded when trying to connect'],
  [undefined, 'Client has encountered a connection error and is not queryable'],
  [undefined, 'Query read timeout'],
])('PostgreSQL being away is a 503: %s %s', (code, message) => {
  expect(fromPostgresError(postgres(message, code))).toBeInstanceOf(StoreUnavailable)
})

test.each([
  ['23505', 'duplicate key value'],
  ['42P01', 'relation "x" does not exist'],
  ['28P01', 'password authentication failed'],
  ['22P02', 'invalid input syntax'],
  [undefined, 'some mistake of ours'],
])('a fault of PostgreSQL that waiting does not cure is none: %s %s', (code, message) => {
  const error = postgres(message, code)
  expect(fromPostgresError(error)).toBe(error)
})

test.each([
  [5, StoreUnavailable],
  [261, StoreUnavailable],
  [10, StoreUnavailable],
  [778, StoreUnavailable],
  [13, StoreUnavailable],
  [8, StoreUnavailable],
  [11, StoreCorrupt],
  [267, StoreCorrupt],
  [26, StoreCorrupt],
])('SQLite result %d', (errcode, expected) => {
  expect(fromSqliteError(sqlite(errcode), 'x.db')).toBeInstanceOf(expected)
})

test.each([1, 19, 2067, 20])('SQLite result %d is left as it is', (errcode) => {
  const error = sqlite(errcode)
  expect(fromSqliteError(error, 'x.db')).toBe(error)
})
