import { AgentError, type AgentFault } from '@quire/agent/agent-error'
import type { AgentAddress } from './agent-address.ts'
import { cutText } from './data-block.ts'

const LONGEST_DETAIL = 1_000
const MOST_RETRY_SECONDS = 3_600
const FAULTS: Readonly<Record<number, AgentFault>> = Object.freeze({
  401: 'unconfigured',
  403: 'unconfigured',
  409: 'unavailable',
  413: 'too_long',
  429: 'rate_limited',
})

/** Whether anything came of the request is not known: look before it is made again. */
export function unreachable({ name }: AgentAddress, cause?: unknown): AgentError {
  const message = `${name} cannot be reached, or broke off in the middle. See that its runtime is up.`
  return new AgentError('unavailable', message, { cause, isRetryable: true })
}

export function garbled({ name }: AgentAddress, what: string, cause?: unknown): AgentError {
  const message = `${name} ${what}: it does not speak as an agent of a Quire runtime does. Check the agent_url.`
  return new AgentError('garbled', message, { cause })
}

/** What a runtime said, in the answer to a request or in a frame of a turn. The key is never in it. */
export function refused(
  { name, key }: AgentAddress,
  status: number,
  detail: string,
  retryAfterSeconds = Number.NaN,
): AgentError {
  const fault = FAULTS[status] ?? (status >= 500 ? 'unavailable' : 'refused')
  const said = cutText(key ? detail.replaceAll(key, '[redacted]') : detail, LONGEST_DETAIL)
  return new AgentError(fault, `${name} refused or failed (${status}): ${said || 'it gave no reason.'}`, {
    isRetryable: fault === 'unavailable',
    ...(retryAfterSeconds >= 0 && { retryAfterMs: Math.min(retryAfterSeconds, MOST_RETRY_SECONDS) * 1000 }),
  })
}
