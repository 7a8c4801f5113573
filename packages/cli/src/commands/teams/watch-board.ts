import type { Board } from './board.ts'
import { followEvents } from './follow-events.ts'
import { persist } from './persist.ts'
import type { TeamsClient } from './teams-client.ts'
import type { WatchView } from './watch-view.ts'

export interface WatchOptions {
  readonly client: TeamsClient
  readonly board: Board
  readonly view: WatchView
  /** Begin with the first event there ever was, not with what comes. */
  readonly fromStart: boolean
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/** Keeps the board as it is at the service, until nothing more can come of it. Rejects at the signal. */
export async function watchBoard(options: WatchOptions): Promise<void> {
  const { client, board, view, fromStart, untilIdle, signal } = options
  const persistence = { signal, onLost: view.lost }
  // Asked for first: what happens while the board is loaded is told again by an event, and nothing is missed.
  const begun = await board.newest()
  await board.load()
  view.begin()
  let last = fromStart ? 0 : begun
  /** The board may be ahead of the events: those that led there are still shown. */
  let target: number | undefined
  try {
    if (await isDone()) return
    const { team_id: teamId } = board.team()
    for await (const event of followEvents(client, { teamId, after: last, ...persistence })) {
      last = event.seq
      if (event.seq > begun) await persist(() => board.apply(event), persistence)
      if (board.concerns(event)) await view.event(event)
      if (await isDone()) return
    }
  } finally {
    view.end()
  }

  async function isDone(): Promise<boolean> {
    if (!untilIdle || last < begun || !board.isIdle()) {
      target = undefined
      return false
    }
    target ??= await persist(() => board.newest(), persistence)
    return last >= target
  }
}
