import { AgentError } from '../agent-error.ts'
import type { ProviderFault } from './provider-fault.ts'
import { retryAfterMs } from './retry-after.ts'

/** What a message about a failure may name. */
export interface FailureContext {
  /** As people call the provider. */
  readonly title: string
  /** The model's name at the provider. */
  readonly name: string
  /** Where it is asked, without a path. */
  readonly origin: string
  readonly keyVariables: readonly string[]
  readonly baseUrlVariable: string
  /** Hides what must not be shown. */
  readonly mask: (text: string) => string
  readonly now: () => number
}

const BROKE_OFF = /without a finish reason|Incomplete .* frame/i
const TOO_LONG =
  /context[ _]length|context[ _]window|context limit|context size|prompt is too long|input is too long|too many tokens|maximum number of tokens|reduce the length|request_too_large/i
const NO_SUCH_MODEL =
  /model_not_found|invalid_model|model identifier is invalid|model .{1,200}(not found|does not exist)/i
const NO_KEY = /api key not valid|API_KEY_INVALID/i
const NO_MONEY = /insufficient_quota|credit balance|billing/i
const MOST_CHARACTERS = 500

/** Every failure of a provider, by its status where it has one, else by its shape. */
export function toAgentError(error: unknown, fault: ProviderFault, context: FailureContext): AgentError {
  const chain = causesOf(error)
  const own = chain.find((cause) => cause instanceof AgentError)
  if (own !== undefined) return own
  const { status } = fault
  if (status !== undefined && (status < 200 || status > 299)) return byStatus(status, fault, context)
  const code = chain.map(networkCodeOf).find((found) => found !== undefined)
  if (code !== undefined || fault.isUnanswered) return unreachable(code ?? fault.message, context)
  if (isBreak(error)) return brokeOff(context)
  if (fault.isRefusal)
    return new AgentError('refused', `${context.title} cannot take this: ${sentence(fault.message, context)}`)
  return garbled(context, error)
}

/** The packages' words for a stream that ended before its last event. */
export function isBreak(error: unknown): boolean {
  return error instanceof Error && BROKE_OFF.test(error.message)
}

export function brokeOff({ title }: FailureContext): AgentError {
  return unavailable(`${title} broke off its answer. Try again.`)
}

export function garbled({ title, baseUrlVariable, mask }: FailureContext, error?: unknown): AgentError {
  const message = `${title} answered with something that makes no sense here. Try again, or check ${baseUrlVariable} if you set it.`
  if (!(error instanceof Error)) return new AgentError('garbled', message)
  // A copy: the original holds the whole prompt, which does not belong in a log.
  const cause = new Error(`${error.name}: ${mask(error.message).slice(0, MOST_CHARACTERS)}`)
  return new AgentError('garbled', message, { cause })
}

/** An answer with a status that is no success. */
export function byStatus(status: number, fault: ProviderFault, context: FailureContext): AgentError {
  const { title, name, origin, baseUrlVariable } = context
  const said = sentence(fault.message, context)
  const text = `${fault.code} ${fault.message}`
  const asked = retryAfterMs(fault.headers, fault.body, context.now())
  if (status < 400)
    return new AgentError(
      'unavailable',
      `${title} redirects (${status}), and a redirect is not followed, since the key would go along. Correct ${baseUrlVariable}.`,
    )
  if (status === 401 || status === 403 || (status === 400 && NO_KEY.test(text)))
    return notAccepted(status, said, context)
  if (status === 404 || (status === 400 && NO_SUCH_MODEL.test(text)))
    return new AgentError(
      'unknown_model',
      `${title} has no model "${name}" at ${origin}: ${said} Check the name, and ${baseUrlVariable} if you set it.`,
    )
  if (status === 413 || (status < 500 && TOO_LONG.test(text)))
    return new AgentError(
      'too_long',
      `The conversation is longer than ${name} can read: ${said} Start a new one, or shorten it.`,
    )
  if (status === 429) return limited(said, asked, !NO_MONEY.test(text), context)
  if (status >= 500 || status === 408 || status === 425)
    return unavailable(`${title} failed (${status}): ${said} Try again later.`, asked)
  return new AgentError('refused', `${title} refused the request (${status}): ${said}`)
}

function notAccepted(status: number, said: string, { title, keyVariables }: FailureContext): AgentError {
  const variables = keyVariables.join(' and ')
  return new AgentError(
    'unconfigured',
    `${title} did not accept the key in ${variables} (${status}): ${said} Check ${variables}, or use the model builtin:guide, which needs no key.`,
  )
}

function limited(
  said: string,
  asked: number | undefined,
  isRetryable: boolean,
  { title }: FailureContext,
): AgentError {
  const advice = isRetryable ? 'Wait a little, then try again.' : 'Look at your plan there.'
  const message = `${title} takes no more requests for now: ${said} ${advice}`
  return new AgentError('rate_limited', message, { retryAfterMs: asked, isRetryable })
}

function unreachable(detail: string, { title, origin, baseUrlVariable, mask }: FailureContext): AgentError {
  return unavailable(
    `${title} could not be reached at ${origin}, or the connection broke (${mask(detail)}). Check the network and ${baseUrlVariable}, then try again.`,
  )
}

function unavailable(message: string, asked?: number): AgentError {
  return new AgentError('unavailable', message, { retryAfterMs: asked, isRetryable: true })
}

/** The provider's own words, on one line, within bounds, without keys. */
function sentence(text: string, { mask }: FailureContext): string {
  const line = mask(text).replace(/\s+/g, ' ').trim() || 'it did not say why'
  const cut = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`
}

/** The error and what caused it, the outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain = [error]
  for (let at = error; at instanceof Error && at.cause !== undefined && chain.length < 10; at = at.cause)
    chain.push(at.cause)
  return chain
}

function networkCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message)
    ? error.message
    : undefined
}
