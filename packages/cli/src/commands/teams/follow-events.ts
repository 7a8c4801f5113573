import { setTimeout as delay } from 'node:timers/promises'
import { TeamEvent } from '@quire/teams/contract'
import { teamPath } from './find-team.ts'
import { type Persistence, persist } from './persist.ts'
import { readEvents } from './read-events.ts'
import type { TeamsClient } from './teams-client.ts'

export interface FollowOptions extends Persistence {
  readonly teamId: string
  /** The number of the last event that is known. */
  readonly after: number
}

/** The service says something every 15 seconds. */
const SILENCE_MS = 60_000
const PAUSE_MS = 250

/** Every event once, in order, whatever becomes of the connection or the server in between. Throws when the service refuses, is away for long, or at the signal. */
export async function* followEvents(
  client: TeamsClient,
  { teamId, after, signal, onLost }: FollowOptions,
): AsyncGenerator<TeamEvent> {
  const path = teamPath(teamId, '/events')
  let last = after
  for (;;) {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), SILENCE_MS)
    const ended = AbortSignal.any([signal, silence.signal])
    try {
      const body = await persist(
        () => {
          timer.refresh()
          return client.openEvents(path, last, ended)
        },
        { signal, onLost },
      )
      for await (const data of readEvents(body, () => timer.refresh())) {
        const event = client.parse(toValue(data), TeamEvent)
        if (event.seq <= last) continue
        last = event.seq
        yield event
      }
    } finally {
      clearTimeout(timer)
      silence.abort()
    }
    // A server that stops says nothing of it: what ended is opened again.
    await delay(PAUSE_MS, undefined, { signal })
  }
}

function toValue(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // No event then, which is said where it is parsed.
    return undefined
  }
}
