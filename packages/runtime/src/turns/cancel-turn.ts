import { setTimeout as delay } from 'node:timers/promises'
import { settleStored } from './settle-turn.ts'
import type { TurnNews } from './turn-news.ts'
import type { TurnRuns } from './turn-runs.ts'
import { CANCEL_PREFIX, findTurn, TURN_CHANNEL, type TurnStore } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'

/** Another process is given so long to stop; the request stays with the turn if that takes longer. */
const REMOTE_MS = 3_000
const LOOK_AGAIN_MS = 500

/** Resolves when the turn is over. False where it was already. */
export async function cancelTurn(turns: TurnStore, runs: TurnRuns, key: TurnKey): Promise<boolean> {
  const run = runs.find(key.turnId)
  if (run !== undefined) {
    run.stop('cancelled')
    const result = await run.live.ended
    return result?.status !== 'waiting' || settleStored(turns, key, 'cancelled')
  }
  await runs.interrupt(key.turnId)
  const turn = await findTurn(turns, key.turnId)
  if (turn?.state === 'waiting') return settleStored(turns, key, 'cancelled')
  if (turn?.state !== 'running') return false
  await askToStop(turns, runs.news, key)
  // It may have come to a pause in that moment.
  await settleStored(turns, key, 'cancelled')
  return true
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
    const deadline = performance.now() + REMOTE_MS
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
