import { setTimeout as delay } from 'node:timers/promises'
import { ServiceAway } from './teams-client.ts'

export interface Persistence {
  readonly signal: AbortSignal
  /** Nothing answers any more; it is tried again. */
  readonly onLost: (reason: string) => void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const GIVE_UP_MS = 10 * 60_000

/** Tries again while the service is away, for ten minutes. */
export async function persist<Result>(
  work: () => Promise<Result>,
  { signal, onLost }: Persistence,
): Promise<Result> {
  const startedAt = Date.now()
  for (let failures = 0; ; failures += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ServiceAway) || Date.now() - startedAt > GIVE_UP_MS) throw error
      if (failures === 0) onLost(error.message)
    }
    await delay(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), undefined, { signal })
  }
}
