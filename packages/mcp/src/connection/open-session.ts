import {
  type Client,
  SdkError,
  SdkErrorCode,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client'
import { keepCatalog } from './catalog-keeper.ts'
import type { Era } from './era.ts'
import { createClient } from './handlers.ts'
import { closeLink, type Link, openLink } from './link.ts'
import { createSession, type Session, type SessionOptions, type SessionTimeouts } from './session.ts'
import { startError } from './session-error.ts'
import type { Target } from './target.ts'

const PROBE_MS = 5000

/** Start, handshake and first lists, in whichever era the server speaks. */
export async function openSession(target: Target, options: SessionOptions): Promise<Session> {
  const deadline = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeouts.connectMs)])
  const knownEra = target.type === 'sse' ? 'legacy' : options.knownEra
  return connect(target, options, deadline, knownEra)
}

async function connect(
  target: Target,
  options: SessionOptions,
  deadline: AbortSignal,
  knownEra: Era | undefined,
): Promise<Session> {
  const { name, timeouts, logger } = options
  const link = await openLink(target, options)
  const client = createClient(
    options.clientInfo,
    options.handlers,
    negotiation(target, timeouts),
    options.capabilities,
  )
  const keeper = keepCatalog(client, {
    request: { timeout: timeouts.requestMs },
    logger,
    onChange: options.onCatalog,
  })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onResource(params.uri),
  )
  client.setNotificationHandler('notifications/message', ({ params }) => options.onLog(params))
  const abandon = () => void closeLink(link, logger)
  deadline.addEventListener('abort', abandon, { once: true })
  try {
    // Not every transport lets go of a handshake when it is closed.
    await Promise.race([handshake(), rejectedBy(deadline)])
    deadline.throwIfAborted()
    return createSession(client, link, keeper, target, options)
  } catch (error) {
    const outcome = options.signal.aborted ? 'closed' : deadline.aborted ? 'late' : 'failed'
    const failure = startError(name, link, error, outcome, timeouts)
    const isWorthAnother = knownEra === undefined && !deadline.aborted && diedOnProbe(link, error)
    await closeLink(link, logger)
    if (!isWorthAnother || deadline.aborted) throw failure
    logger.debug({ server: name }, 'the server ended at the question for its protocol: trying the old one')
    return await connect(target, options, deadline, 'legacy')
  } finally {
    deadline.removeEventListener('abort', abandon)
  }

  async function handshake(): Promise<void> {
    deadline.throwIfAborted()
    await client.connect(link.transport, {
      timeout: timeouts.connectMs,
      ...(knownEra === 'legacy' && { prior: { kind: 'legacy' } }),
    })
    await keeper.load()
    await askForLogs(client, options)
  }
}

/** Some servers end at any request that comes before `initialize`. One that never read it had other reasons. */
function diedOnProbe({ stdio }: Link, error: unknown): boolean {
  const hasExited = stdio?.ending?.code !== undefined && !stdio.isUnread
  return hasExited && error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** In the modern era each request says which log messages it wants. */
async function askForLogs(client: Client, { logLevel, timeouts, logger }: SessionOptions): Promise<void> {
  if (!logLevel || client.getProtocolEra() === 'modern' || !client.getServerCapabilities()?.logging) return
  try {
    await client.setLoggingLevel(logLevel, { timeout: timeouts.requestMs })
  } catch (error) {
    logger.debug({ err: error }, 'the server did not take a log level')
  }
}

function negotiation(target: Target, { connectMs }: SessionTimeouts): VersionNegotiationOptions {
  // A silent server on a pipe is an old one, so its silence must leave time for the old handshake.
  const timeoutMs = target.type === 'stdio' ? Math.min(PROBE_MS, connectMs / 2) : connectMs
  return { mode: 'auto', probe: { timeoutMs } }
}
