import { AgentError, type AgentFault } from '@quire/agent/agent-error'
import type { Redactor } from '@quire/kit/redact'
import { cutText } from './data-block.ts'
import { type AttemptFailure, BudgetSpent } from './members.ts'

/** Those of which another attempt may come to a better end. */
const RETRYABLE: ReadonlySet<AgentFault> = new Set(['rate_limited', 'unavailable', 'garbled', 'internal'])
const LONGEST_MESSAGE = 4_000
const TIMED_OUT =
  'The attempt was not done within the time that the task allows, and was aborted. Allow more with timeout_seconds, or make the task smaller.'
const INTERNAL =
  'The attempt failed for a reason of ours, which the log has. Try again, and tell whoever runs this service if it stays so.'

/** What is said of an attempt that threw. Of a failure that was not made for a reader nothing is shown. */
export function toAttemptFailure(error: unknown, redactor?: Pick<Redactor, 'text'>): AttemptFailure {
  if (error instanceof BudgetSpent) return { error: told('budget', error.message), isRetryable: false }
  if (error instanceof AgentError) {
    const { fault, message, retryAfterMs } = error
    return {
      error: told(fault, fault === 'internal' ? INTERNAL : message),
      isRetryable: RETRYABLE.has(fault),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
  }
  if (error instanceof Error && error.name === 'TimeoutError')
    return { error: told('timeout', TIMED_OUT), isRetryable: true }
  return { error: told('internal', INTERNAL), isRetryable: true }

  function told(code: string, message: string): AttemptFailure['error'] {
    return { code, message: cutText(redactor?.text(message) ?? message, LONGEST_MESSAGE) }
  }
}
