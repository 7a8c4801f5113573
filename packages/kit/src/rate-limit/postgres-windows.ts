import { createHash } from 'node:crypto'
import type { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { PostgresAccess } from '../store/store.ts'
import type { RatePolicy } from './rate-limits.ts'
import type { Windows, WindowUse } from './windows.ts'

type Library = typeof import('rate-limiter-flexible')

const TABLE = 'quire_rate_limits'
const CLEANING_INTERVAL_MS = 300_000
/** What a process may be told that creates the table at the same moment as another. */
const CREATED_BY_ANOTHER: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710'])

/** Windows that several processes share through one database. */
export function createPostgresWindows(database: PostgresAccess): Windows {
  const limiters = new Map<string, RateLimiterPostgres>()
  let prepared: Promise<Library> | undefined
  let cleanedAt = Number.NEGATIVE_INFINITY

  async function hit(policy: RatePolicy, key: string): Promise<WindowUse> {
    prepared ??= prepare(database).catch((error) => {
      prepared = undefined
      throw error
    })
    const library = await prepared
    const limiter = limiters.get(policy.name) ?? createLimiter(library, database, policy)
    limiters.set(policy.name, limiter)
    cleanNowAndThen()
    try {
      return toUse(await limiter.consume(toDigest(key)))
    } catch (refusal) {
      if (refusal instanceof library.RateLimiterRes) return toUse(refusal)
      throw refusal
    }
  }

  function cleanNowAndThen(): void {
    const now = performance.now()
    if (now - cleanedAt < CLEANING_INTERVAL_MS) return
    cleanedAt = now
    // A row that stays behind does no harm, and the request that came by must not pay for it.
    database.query(`delete from ${TABLE} where expire < $1`, [Date.now()]).catch(() => undefined)
  }

  return Object.freeze({ hit })
}

/** The library is loaded here: most installations count in memory and never need it. */
async function prepare(database: PostgresAccess): Promise<Library> {
  try {
    await database.query(
      `create table if not exists ${TABLE} (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
    )
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && CREATED_BY_ANOTHER.has(error.code))) throw error
  }
  return import('rate-limiter-flexible')
}

function createLimiter(library: Library, database: PostgresAccess, policy: RatePolicy): RateLimiterPostgres {
  return new library.RateLimiterPostgres({
    storeClient: {
      query: ({ text, values }: { text: string; values: unknown[] }) => database.query(text, values),
    },
    storeType: 'pool',
    tableName: TABLE,
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: policy.name,
    points: policy.quota,
    duration: policy.windowSeconds,
  })
}

function toUse({
  consumedPoints,
  msBeforeNext,
}: {
  consumedPoints: number
  msBeforeNext: number
}): WindowUse {
  return { used: consumedPoints, resetMs: msBeforeNext }
}

/** A principal's name may be long, and is nobody's business in this table. */
function toDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
