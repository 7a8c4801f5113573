import type { TeamEvent } from '@quire/teams/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readEvents } from '../services/event-stream.ts'
import { RequestFailed } from '../services/request.ts'
import { teamKey, teamPath } from './team-queries.ts'

export type StreamState = 'connecting' | 'live' | 'away' | 'over'

export interface TeamEvents {
  /** Oldest first. */
  readonly events: readonly TeamEvent[]
  readonly state: StreamState
}

const MOST_EVENTS = 1_000
const GATHERED_MS = 150
const LONGEST_WAIT_MS = 10_000
const NONE: TeamEvents = { events: [], state: 'connecting' }

/** The newest events and those that come, over broken connections; each makes what is known of the team fresh. */
export function useTeamEvents(id: string): TeamEvents {
  const queries = useQueryClient()
  const [seen, setSeen] = useState(NONE)

  useEffect(() => {
    const gone = new AbortController()
    let gathered: TeamEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let last: string | undefined

    function publish(): void {
      timer = undefined
      const news = gathered
      gathered = []
      setSeen(({ events, state }) => ({ state, events: [...events, ...news].slice(-MOST_EVENTS) }))
      void queries.invalidateQueries({ queryKey: teamKey(id) })
    }

    function show(state: StreamState): void {
      if (!gone.signal.aborted) setSeen(({ events }) => ({ events, state }))
    }

    async function readOnce(): Promise<void> {
      const headers = last === undefined ? {} : { 'last-event-id': last }
      const path = `${teamPath(id, '/events')}?limit=${MOST_EVENTS}`
      const stream = readEvents('teams', path, {
        headers,
        signal: gone.signal,
        onOpen: () => show('live'),
      })
      for await (const { id: seq, data } of stream) {
        // The contract of the service says what it sends.
        gathered.push(JSON.parse(data) as TeamEvent)
        last = seq ?? last
        timer ??= setTimeout(publish, GATHERED_MS)
      }
    }

    async function follow(): Promise<void> {
      for (let attempt = 0; !gone.signal.aborted; attempt += 1) {
        const before = last
        try {
          await readOnce()
        } catch (error) {
          if (gone.signal.aborted) return
          if (error instanceof RequestFailed && error.status === 404) return show('over')
        }
        show('away')
        if (last !== before) attempt = 0
        await pause(Math.min(250 * 2 ** attempt, LONGEST_WAIT_MS), gone.signal)
      }
    }

    setSeen(NONE)
    void follow()
    return () => {
      gone.abort()
      clearTimeout(timer)
    }
  }, [id, queries])

  return seen
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
