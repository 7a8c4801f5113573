import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { StoreUnavailable } from './errors.ts'

export async function ping<Schema>(
  db: Kysely<Schema>,
  { timeoutMs = 2_000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const answered = new AbortController()
  const givenUp = signal ? AbortSignal.any([signal, answered.signal]) : answered.signal
  const tooLate = delay(timeoutMs, undefined, { signal: givenUp }).then(() => {
    throw new StoreUnavailable(`it did not answer within ${timeoutMs} ms`)
  })
  try {
    await Promise.race([sql`select 1`.execute(db), tooLate])
  } finally {
    answered.abort()
  }
}
