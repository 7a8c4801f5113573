import type { TeamEvent } from '@quire/teams/contract'
import type { Tone } from '../ui/badge.tsx'

export interface EventText {
  readonly tone: Tone
  /** What happened, in a few words. */
  readonly text: string
  /** In the words of a model, a supervisor or the service. */
  readonly quote?: string
}

/** An event as a sentence; the title of its task stands beside it. */
export function toEventText({ event_type, data }: TeamEvent): EventText {
  const member = word(data.member) ?? word(data.assigned_to) ?? 'A member'
  const attempt = typeof data.attempt === 'number' && data.attempt > 1 ? `, attempt ${data.attempt}` : ''
  switch (event_type) {
    case 'team_created':
      return { tone: 'quiet', text: 'The team was made' }
    case 'team_started':
      return { tone: 'good', text: 'The team was started' }
    case 'team_paused':
      return { tone: 'warn', text: 'The team was paused', ...quoted(data.detail) }
    case 'team_resumed':
      return { tone: 'good', text: 'The team goes on' }
    case 'team_stopped':
      return { tone: 'quiet', text: 'The team was stopped' }
    case 'task_created':
      return { tone: 'quiet', text: 'New task' }
    case 'task_assigned':
      return { tone: 'quiet', text: `Given to ${member}`, ...quoted(data.reason) }
    case 'task_started':
      return { tone: 'busy', text: `${member} ${data.resumed === true ? 'went on' : 'began'}${attempt}` }
    case 'task_review_requested':
      return { tone: 'warn', text: `${member} handed it in for review${ofRound(data.round)}` }
    case 'task_review_rejected':
      return { tone: 'warn', text: `Returned to ${member} by the review`, ...quoted(data.reasons) }
    case 'task_completed':
      return { tone: 'good', text: `${member} completed it`, ...quoted(data.review) }
    case 'task_failed':
      return { tone: 'bad', text: 'It failed', ...quoted(messageOf(data.error)) }
    case 'task_cancelled':
      return { tone: 'quiet', text: 'It was cancelled' }
    case 'task_retried':
      return { tone: 'warn', text: toRetryText(data), ...quoted(messageOf(data.error)) }
  }
}

export function taskOf({ data }: TeamEvent): string | undefined {
  return word(data.task_id)
}

function toRetryText({ requested, retry_in_seconds }: TeamEvent['data']): string {
  if (requested === true) return 'Somebody asked for another try'
  if (typeof retry_in_seconds !== 'number') return 'It is tried again'
  return `It is tried again in ${Math.ceil(retry_in_seconds)} s`
}

function ofRound(round: unknown): string {
  return typeof round === 'number' && round > 1 ? `, round ${round}` : ''
}

function messageOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'message' in error ? error.message : error
}

function quoted(value: unknown): { readonly quote?: string } {
  const quote = word(value)
  return quote === undefined ? {} : { quote }
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
