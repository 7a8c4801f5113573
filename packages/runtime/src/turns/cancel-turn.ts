import { setTimeout as delay } from 'node:timers/promises'
import type { TurnRun } from './run-turn.ts'
import { settleStored } from './settle-turn.ts'
import type { TurnNews } from './turn-news.ts'
import type { TurnRuns } from './turn-runs.ts'
import { CANCEL_PREFIX, findTurn, TURN_CHANNEL, type TurnStore } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'
import type { CancelOutcome, TurnStatus } from './turns.ts'

/** Whoever runs the turn is given so long to stop; the request stays with the turn if that takes longer. */
const STOP_MS = 3_000
const LOOK_AGAIN_MS = 500

/** Resolves when it is stored how the turn stands, or when that takes too long. */
export async function cancelTurn(turns: TurnStore, runs: TurnRuns, key: TurnKey): Promise<CancelOutcome> {
  const run = runs.find(key.turnId)
  if (run !== undefined) {
    run.stop('cancelled')
    await endOf(run)
  } else if (await runs.interrupt(key.turnId)) return 'none'
  else if (await settleStored(turns, key, 'cancelled')) return 'cancelled'
  else if ((await stateOf(turns, key)) !== 'running') return 'none'
  else await askToStop(turns, runs.news, key)
  // It may have come to a pause in that moment.
  await settleStored(turns, key, 'cancelled')
  const state = await stateOf(turns, key)
  if (state === 'running') return 'requested'
  // One that was removed has taken its end with it.
  return state === undefined || state === 'cancelled' ? 'cancelled' : 'none'
}

async function stateOf(turns: TurnStore, { turnId }: TurnKey): Promise<TurnStatus | undefined> {
  return (await findTurn(turns, turnId))?.state
}

async function endOf({ live }: TurnRun): Promise<void> {
  const waiting = new AbortController()
  // Its one failure is that nobody waits any more.
  const late = delay(STOP_MS, undefined, { signal: waiting.signal }).catch(() => undefined)
  await Promise.race([live.ended, late])
  waiting.abort()
}

async function askToStop(turns: TurnStore, news: TurnNews, key: TurnKey): Promise<void> {
  let wake: () => void = () => undefined
  const stopWatching = news.watch(key.turnId, () => wake())
  try {
    await turns.store.transaction(async (tx) => {
      await tx.db
        .updateTable('runtime_turn')
        .set({ cancel_requested: 1 })
        .where('id', '=', key.turnId)
        .where('state', '=', 'running')
        .execute()
      await turns.store.notify(TURN_CHANNEL, `${CANCEL_PREFIX}${key.turnId}`, tx)
    })
    const deadline = performance.now() + STOP_MS
    while (performance.now() < deadline) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      if ((await findTurn(turns, key.turnId))?.state !== 'running') return
      await Promise.race([woken, delay(LOOK_AGAIN_MS)])
    }
  } finally {
    stopWatching()
  }
}
