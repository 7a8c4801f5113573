import type { Logger } from '@quire/kit/log'
import { toJson } from '@quire/kit/store/json'
import { sql } from 'kysely'
import type { TurnRun } from './run-turn.ts'
import { leaseEnd, TURN_CHANNEL, type TurnStore } from './turn-store.ts'

const TICK_MS = 250
/** Writing down what is half said may take so much of the time. */
const FLUSH_SHARE = 0.1

export interface TickerOptions {
  readonly turns: TurnStore
  readonly runs: ReadonlyMap<string, TurnRun>
  readonly logger: Pick<Logger, 'warn'> | undefined
}

/** One timer for all turns of the process, while there are any: renews their leases and writes down the text that grows. */
export function createTicker({ turns, runs, logger }: TickerOptions) {
  /** How much of which message was written down; absent for a turn that is younger than a tick. */
  const flushed = new WeakMap<TurnRun, { number: number; length: number }>()
  let timer: NodeJS.Timeout | undefined
  /** Turns in the name of this process that it does not run, at the last renewal. */
  let strays: ReadonlySet<string> = new Set()
  let isTicking = false
  let renewedAt = performance.now()
  let flushAt = 0

  async function tick(): Promise<void> {
    if (runs.size === 0) return stop()
    if (isTicking) return
    isTicking = true
    try {
      if (performance.now() - renewedAt >= turns.leaseMs / 3) await renew()
      if (performance.now() >= flushAt) await flush()
    } catch (error) {
      logger?.warn({ err: error }, 'leases or partial answers could not be stored; trying again')
    } finally {
      isTicking = false
    }
  }

  /** One statement for all. A turn that is not among its rows belongs to somebody else by now. */
  async function renew(): Promise<void> {
    const held = [...runs.values()]
    const rows = await turns.store.db
      .updateTable('runtime_turn')
      .set({ lease_until: leaseEnd(turns) })
      .where('runner', '=', turns.runner)
      .where('state', '=', sql.lit('running'))
      .returning(['id', 'cancel_requested'])
      .execute()
    renewedAt = performance.now()
    const found = new Map(rows.map((row) => [row.id, row.cancel_requested]))
    for (const run of held) {
      const isRequested = found.get(run.key.turnId)
      if (isRequested === 1) run.stop('cancelled')
      // One that has ended meanwhile knows it.
      if (isRequested === undefined && runs.get(run.key.turnId) === run && !run.isEnding()) run.lose()
    }
    await release(rows.map(({ id }) => id).filter((id) => !runs.has(id)))
  }

  /** One that was given up must not live on with the others. One that has just begun may be seen here once. */
  async function release(stray: readonly string[]): Promise<void> {
    const abandoned = stray.filter((id) => strays.has(id))
    strays = new Set(stray)
    if (abandoned.length > 0)
      await turns.store.db
        .updateTable('runtime_turn')
        .set({ lease_until: 0 })
        .where('id', 'in', abandoned)
        .where('runner', '=', turns.runner)
        .execute()
  }

  async function flush(): Promise<void> {
    const grown = [...runs.values()].flatMap(toGrown)
    if (grown.length === 0) return
    const startedAt = performance.now()
    await turns.store.transaction(async (tx) => {
      for (const { run, number, text } of grown) {
        await tx.db
          .updateTable('runtime_turn')
          .set({ partial: toJson(text), partial_number: number })
          .where('id', '=', run.key.turnId)
          .where('runner', '=', turns.runner)
          .where('state', '=', 'running')
          .execute()
        await turns.store.notify(TURN_CHANNEL, run.key.turnId, tx)
      }
    })
    for (const { run, number, text } of grown) flushed.set(run, { number, length: text.length })
    flushAt = performance.now() + (performance.now() - startedAt) / FLUSH_SHARE
  }

  function toGrown(run: TurnRun) {
    const last = flushed.get(run)
    const [number, length] = [run.number(), run.live.text.length()]
    if (last === undefined) flushed.set(run, { number, length: 0 })
    const known = last?.number === number ? last.length : 0
    return last === undefined || length === known ? [] : [{ run, number, text: run.live.text.whole() }]
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return Object.freeze({
    start(): void {
      if (timer !== undefined) return
      renewedAt = performance.now()
      timer = setInterval(() => void tick(), TICK_MS).unref()
    },
    stop,
  })
}
