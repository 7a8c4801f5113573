import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type * as wire from '../contract.ts'
import type { TeamEvent } from '../teams.ts'

export function toEventBody({ type, stream, at, seq, data }: TeamEvent): wire.TeamEvent {
  return { event_type: type, team_id: stream, timestamp: at, seq, data }
}

/**
 * Events as they are streamed. All who follow a team are handed the same objects: each is put into JSON once, for all of them, and forgotten together
 * with the event.
 */
export function createEventFrames(): (event: TeamEvent) => SseMessage {
  const known = new WeakMap<TeamEvent, SseMessage>()
  return function toFrame(event) {
    const frame = known.get(event)
    if (frame) return frame
    const made = Object.freeze({
      id: event.seq,
      event: event.type,
      data: JSON.stringify(toEventBody(event)),
    })
    known.set(event, made)
    return made
  }
}
