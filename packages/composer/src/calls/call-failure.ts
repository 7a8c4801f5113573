import { ComposerError } from '../composer-error.ts'
import { LinkError } from '../link/link-error.ts'
import type { Params } from '../rpc.ts'

/** What is asked of whom, for sentences about it. */
export interface Asked {
  readonly server: string
  readonly method: string
  readonly params: Params
}

function toolOf({ method, params }: Asked): string | undefined {
  return method === 'tools/call' && typeof params.name === 'string' ? params.name : undefined
}

export function timedOut(asked: Asked, ms: number, isInLine: boolean): ComposerError {
  const text = isInLine
    ? `${describe(asked)} did not get its turn within ${ms / 1000} s: others are before it. Nothing was done.`
    : `${describe(asked)} did not answer within ${ms / 1000} s and was told to stop.`
  return new ComposerError('TIMEOUT_ERROR', text)
}

export function cancelled(asked: Asked, cause: unknown): ComposerError {
  return new ComposerError('CANCELLED', `${describe(asked)} was cancelled by its caller.`, { cause })
}

export function busy(
  { server }: Asked,
  limits: { readonly inFlight: number; readonly queued: number },
): ComposerError {
  const text = `Server "${server}" is busy: ${limits.inFlight} calls are under way and ${limits.queued} wait. Try again later.`
  return new ComposerError('SERVER_BUSY', text, { headers: { 'retry-after': '1' } })
}

export function circuitOpen({ server }: Asked, restMs: number): ComposerError {
  const seconds = Math.max(1, Math.ceil(restMs / 1000))
  const text = `Server "${server}" has failed too often and is left alone. Try again in ${seconds} s.`
  return new ComposerError('CIRCUIT_OPEN', text, { headers: { 'retry-after': String(seconds) } })
}

export function stopping(asked: Asked): ComposerError {
  const text = `${describe(asked)} was not called: the composer is stopping. Try again later.`
  return new ComposerError('SERVER_BUSY', text, { headers: { 'retry-after': '5' } })
}

export function cutShort(asked: Asked): ComposerError {
  return new ComposerError('CANCELLED', `${describe(asked)} was cancelled: the composer is stopping.`)
}

/** What a link says, in the words of the caller. Whatever is neither is a fault of ours, and stays as it is. */
export function toCallFailure(error: unknown, asked: Asked): unknown {
  if (!(error instanceof LinkError)) return error
  if (error.fault === 'aborted') return cancelled(asked, error)
  const { server } = asked
  const text =
    error.fault === 'lost'
      ? `Server "${server}" was lost in the middle of the call; whether it was done is unknown.`
      : `Server "${server}" was lost before the call reached it; nothing was done.`
  return new ComposerError('SERVER_LOST', `${text} The reason: ${error.message}`, { cause: error })
}

function describe(asked: Asked): string {
  const tool = toolOf(asked)
  const what = tool === undefined ? `"${asked.method}"` : `Tool "${tool}"`
  return `${what} of server "${asked.server}"`
}
