import type { Logger } from '@quire/kit/log'
import type { Clock } from '@quire/mcp/connection/clock'
import type { Gate } from '../calls/gate.ts'
import type { Link, LinkOptions, OpenLink } from '../link/link.ts'
import { LinkError } from '../link/link-error.ts'
import type { ServerDefinition } from '../server-definition.ts'
import { abortable, inTime } from './wait.ts'

export interface OpeningOptions {
  readonly openLink: OpenLink
  readonly link: Omit<LinkOptions, 'signal' | 'readyMs'>
  /** Bounds how many open at a time. */
  readonly gate: Gate
  /** The time begins to run. */
  readonly onTurn: () => void
  readonly clock: Clock
  /** Aborted when nobody wants the server any more. */
  readonly leaving: AbortSignal
}

/** Ending a server takes up to six seconds where it resists; whatever takes longer than this hangs. */
const CLOSE_MS = 10_000

/** A link, ready within the time that its server has once it is its turn. When this rejects, nothing is left of the attempt. */
export async function openInTime(definition: ServerDefinition, options: OpeningOptions): Promise<Link> {
  const { gate, onTurn, leaving } = options
  const ticket = gate.enter()
  if (!ticket) throw new Error('too many servers wait for their start')
  try {
    if (ticket.turn) await abortable(ticket.turn, leaving)
    onTurn()
    return await open(definition, options)
  } finally {
    gate.leave(ticket)
  }
}

async function open(definition: ServerDefinition, options: OpeningOptions): Promise<Link> {
  const { openLink, clock, leaving, link: linkOptions } = options
  const { name, readyMs } = definition
  const attempt = new AbortController()
  const opening = openLink(definition, { ...linkOptions, readyMs, signal: attempt.signal })
  try {
    const opened = await abortable(inTime(opening, readyMs, clock), leaving)
    if (opened) return opened.value
  } catch (error) {
    if (!leaving.aborted) throw error
  }
  attempt.abort()
  await abandoned(opening, name, linkOptions.logger, clock)
  throw new LinkError('start', `MCP server "${name}" was not ready within ${readyMs / 1000} s`)
}

/** Done when nothing of the link is left, or when it has hung for too long. */
export async function closeInTime(link: Link, logger: Logger, clock: Clock): Promise<void> {
  const { server } = link
  try {
    const closed = await inTime(link.close(), CLOSE_MS, clock)
    if (!closed) logger.error({ server }, `closing a server has not ended within ${CLOSE_MS / 1000} s`)
  } catch (error) {
    logger.error({ server, err: error }, 'a server could not be closed well')
  }
}

/** An attempt that goes on although it was called off, and even succeeds, must leave nothing behind. */
async function abandoned(
  opening: Promise<Link>,
  server: string,
  logger: Logger,
  clock: Clock,
): Promise<void> {
  const swept = opening.then(
    (link) => closeInTime(link, logger, clock),
    () => undefined,
  )
  if (await inTime(swept, CLOSE_MS, clock)) return
  logger.error({ server }, `a start that was called off has not ended within ${CLOSE_MS / 1000} s`)
}
