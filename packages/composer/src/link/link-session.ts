import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { DEFAULT_STOP_TIMES } from '@quire/mcp/connection/child'
import { systemClock } from '@quire/mcp/connection/clock'
import type { Era } from '@quire/mcp/connection/era'
import { ConnectionError, plainReason } from '@quire/mcp/connection/errors'
import { openSession } from '@quire/mcp/connection/open-session'
import type { Session, SessionOptions } from '@quire/mcp/connection/session'
import type { Target } from '@quire/mcp/connection/target'
import type { LinkEnd, LinkOptions } from './link.ts'
import { LinkError } from './link-error.ts'

const REQUEST_MS = 10_000
const CHECK_MS = 30_000
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

/** What clients can be asked through us. Whether the one that is being served can, shows when the server asks. */
const CAPABILITIES: ClientCapabilities = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
}

/** The SDK's side of a link: handshake, lists, changes, subscriptions. */
export async function openLinkSession(
  server: string,
  target: Target,
  options: LinkOptions,
  tap: NonNullable<SessionOptions['tap']>,
  knownEra: Era | undefined,
): Promise<Session> {
  try {
    return await openSession(target, {
      ...options,
      name: server,
      handlers: {},
      capabilities: CAPABILITIES,
      timeouts: { connectMs: Math.ceil(options.readyMs), requestMs: REQUEST_MS, checkMs: CHECK_MS },
      knownEra,
      maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      stopTimes: options.stopTimes ?? DEFAULT_STOP_TIMES,
      fetch,
      clock: systemClock,
      random: Math.random,
      tap,
    })
  } catch (error) {
    throw startFault(server, error)
  }
}

/** Says why there is no link. */
export function startFault(server: string, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  if (!(error instanceof ConnectionError)) {
    const text = `MCP server "${server}" could not be started: ${plainReason(error)}.`
    return new LinkError('start', text, { cause: error })
  }
  const { message, exitCode, signal, stderr } = error
  const end: LinkEnd = {
    reason: message.replace(/\.$/, ''),
    exitCode,
    signal,
    stderr,
    isForgotten: false,
    isClosed: error.fault === 'closed',
  }
  return new LinkError('start', message, { cause: error, end })
}
