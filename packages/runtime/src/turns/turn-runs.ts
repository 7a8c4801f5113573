import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type RunDependencies, type RunStart, runTurn, type TurnRun } from './run-turn.ts'
import { findExpired, settleStored } from './settle-turn.ts'
import { createTicker } from './ticker.ts'
import { createTurnNews } from './turn-news.ts'

/** What a turn that is interrupted at the end may take for its last commit. */
const LAST_COMMIT_MS = 3_000

export type TurnRuns = ReturnType<typeof createTurnRuns>

/** The turns that this process runs, and an eye on those of processes that are gone. */
export function createTurnRuns(dependencies: RunDependencies) {
  const { turns, logger } = dependencies
  const { store, runner, leaseMs } = turns
  const runs = new Map<string, TurnRun>()
  const ticker = createTicker({ turns, runs, logger })
  const news = createTurnNews({ store, onCancel })
  const sweeper = setInterval(sweep, leaseMs / 2).unref()
  let isClosing = false
  let sweeping: Promise<void> | undefined
  sweep()

  function start(what: RunStart): TurnRun {
    const run = runTurn(dependencies, what)
    const { turnId } = run.key
    runs.set(turnId, run)
    ticker.start()
    void run.settled.then(() => {
      if (runs.get(turnId) === run) runs.delete(turnId)
    })
    // It was stored while the door was being shut.
    if (isClosing) run.stop('interrupted')
    return run
  }

  function findAbandoned(turnId?: string): ReturnType<typeof findExpired> {
    return findExpired(turns, (id) => runs.has(id), turnId)
  }

  async function interrupt(turnId: string): Promise<boolean> {
    const [key] = await findAbandoned(turnId)
    return key !== undefined && settleStored(turns, key, 'interrupted')
  }

  /** One that cannot be settled stands in the way of no other. */
  async function interruptAll(): Promise<void> {
    for (const key of await findAbandoned())
      await settleStored(turns, key, 'interrupted').catch((error: unknown) =>
        logger?.warn({ err: error, turn: key.turnId }, 'a turn whose process is gone could not be settled'),
      )
  }

  function sweep(): void {
    if (sweeping !== undefined) return
    sweeping = interruptAll()
      .catch((error: unknown) =>
        logger?.warn(
          { err: error },
          'turns of processes that are gone could not be looked for; trying again',
        ),
      )
      .finally(() => {
        sweeping = undefined
      })
  }

  function onCancel(turnId: string | undefined): void {
    if (turnId !== undefined) runs.get(turnId)?.stop('cancelled')
    else if (runs.size > 0)
      stopRequested().catch((error: unknown) =>
        logger?.warn({ err: error }, 'requests to cancel could not be read; the next renewal tries again'),
      )
  }

  async function stopRequested(): Promise<void> {
    const rows = await store.db
      .selectFrom('runtime_turn')
      .select('id')
      .where('state', '=', sql.lit('running'))
      .where('runner', '=', runner)
      .where('cancel_requested', '=', 1)
      .execute()
    for (const { id } of rows) runs.get(id)?.stop('cancelled')
  }

  async function close(graceMs: number): Promise<void> {
    isClosing = true
    clearInterval(sweeper)
    await settle(graceMs)
    for (const run of runs.values()) run.stop('interrupted')
    await settle(LAST_COMMIT_MS)
    // The store is away: others find the turns when their leases have run out.
    for (const run of runs.values()) run.lose()
    ticker.stop()
    news.close()
  }

  async function settle(ms: number): Promise<void> {
    if (runs.size === 0) return
    const waiting = new AbortController()
    const all = Promise.all([...runs.values()].map(({ settled }) => settled))
    // Its one failure is that nobody waits any more.
    await Promise.race([all, delay(ms, undefined, { signal: waiting.signal }).catch(() => undefined)])
    waiting.abort()
  }

  return Object.freeze({
    news,
    start,
    find: (turnId: string) => runs.get(turnId),
    isClosing: () => isClosing,
    /** Those that no process runs any more, and nobody has settled yet. */
    findAbandoned,
    /** Ends it where its process is gone; false where it is not. */
    interrupt,
    interruptAll,
    close,
  })
}
