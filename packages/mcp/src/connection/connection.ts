import { backoffDelay } from './backoff.ts'
import { type Calls, createCalls } from './calls.ts'
import { CATALOG_KINDS, type Catalog, type CatalogKind, EMPTY_CATALOG } from './catalog.ts'
import { type ConnectionOptions, withDefaults } from './connection-options.ts'
import { ConnectionError, messageOf } from './errors.ts'
import { createEventStream, type Dropped } from './event-stream.ts'
import { createLossLog } from './loss-log.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'
import { type ConnectionChange, type ConnectionState, nextState } from './state.ts'
import { type ConnectionStatus, toStatus } from './status.ts'
import { createResourceSubscriptions } from './subscriptions.ts'
import type { Target } from './target.ts'

export type ConnectionEvent =
  | { readonly type: 'state'; readonly state: ConnectionState; readonly error?: ConnectionError }
  | { readonly type: 'catalog'; readonly kind: CatalogKind }
  | { readonly type: 'resource'; readonly uri: string }
  | {
      readonly type: 'log'
      readonly level: string
      readonly logger?: string | undefined
      readonly data: unknown
    }
  | { readonly type: 'stderr'; readonly line: string }

export interface Connection extends Calls {
  readonly name: string
  status(): ConnectionStatus
  /** What the server offers, as last read; look at `status` for whether it can be used. */
  catalog(): Catalog
  /** From now on; ends with the connection or the signal. */
  events(signal?: AbortSignal): AsyncIterable<ConnectionEvent | Dropped>
  /** Rejects when it failed for good, was closed, or is not ready in time. */
  whenReady(waitMs: number, signal?: AbortSignal): Promise<void>
  /** Updates come as events, over reconnects too, until the returned function is called. */
  subscribeResource(uri: string): Promise<() => void>
  /** Ends a wait between two attempts, or the rest after a failure for good. */
  retry(): void
  close(): Promise<void>
}

/** A connection that held this long starts its backoff from the beginning. */
const STABLE_MS = 60_000

interface Life {
  readonly lost: ConnectionError
  /** Undefined when it never came to be. */
  readonly heldMs: number | undefined
  /** Nothing of it is left. */
  readonly swept: Promise<void>
}

/** A live connection to one server: opened at once, in the background, and opened again whenever it is lost. */
export function createConnection(target: Target, options: ConnectionOptions): Connection {
  const settings = withDefaults(options)
  const { name, logger, clock, random, maxReconnects, timeouts } = settings
  const events = createEventStream<ConnectionEvent>()
  const closing = new AbortController()
  let state: ConnectionState = 'connecting'
  let session: Session | undefined
  let catalog = EMPTY_CATALOG
  let knownEra = options.knownEra
  let error: ConnectionError | undefined
  let failures = 0
  let pause = new AbortController()

  const calls = createCalls({ server: name, timeoutMs: timeouts.callMs, logLevel: options.logLevel, ready })
  const subscriptions = createResourceSubscriptions(usableSession, logger)
  const lossLog = createLossLog({ server: name, type: target.type, logger, clock })
  const supervised = supervise()
  let closed: Promise<void> | undefined

  async function supervise(): Promise<void> {
    for (;;) {
      const { lost, heldMs, swept } = await live()
      if (closing.signal.aborted) return swept
      failures = heldMs !== undefined && heldMs >= STABLE_MS ? 1 : failures + 1
      lossLog.lost(lost, failures)
      const isForgotten = heldMs !== undefined && lost.status === 404
      await pauseAfter(lost, isForgotten && failures === 1)
      // Two generations of one server must not meet.
      await swept
      if (closing.signal.aborted) return
      move('retry')
    }
  }

  async function pauseAfter(lost: ConnectionError, atOnce: boolean): Promise<void> {
    pause = new AbortController()
    const interrupted = AbortSignal.any([closing.signal, pause.signal])
    if (atOnce) {
      move('lost', lost)
    } else if (failures > maxReconnects) {
      move('gave-up', lost)
      await aborted(interrupted)
    } else {
      move('lost', lost)
      await clock.sleep(backoffDelay(failures, random), interrupted)
    }
  }

  /** One session from its handshake to its end. */
  async function live(): Promise<Life> {
    try {
      session = await openSession(target, {
        ...settings,
        knownEra,
        signal: closing.signal,
        onCatalog: (kind) => takeCatalog([kind]),
        onResource: (uri) => events.emit({ type: 'resource', uri }),
        onLog: (entry) => events.emit({ type: 'log', ...entry }),
        onStderr: (line) => events.emit({ type: 'stderr', line }),
      })
    } catch (cause) {
      // A verdict that led nowhere is not believed twice.
      knownEra = undefined
      return { lost: toConnectionError(cause), heldMs: undefined, swept: Promise.resolve() }
    }
    const current = session
    const since = clock.now()
    if (closing.signal.aborted) {
      void current.close()
    } else {
      if (target.type === 'stdio') knownEra = current.era
      takeCatalog(CATALOG_KINDS)
      move('connected')
      lossLog.up()
      void subscriptions.restore(current)
    }
    const lost = await current.ended
    return { lost, heldMs: clock.now() - since, swept: current.close() }
  }

  function takeCatalog(kinds: readonly CatalogKind[]): void {
    const fresh = session?.catalog() ?? catalog
    const changed = kinds.filter((kind) => JSON.stringify(fresh[kind]) !== JSON.stringify(catalog[kind]))
    catalog = fresh
    for (const kind of changed) events.emit({ type: 'catalog', kind })
  }

  function move(change: ConnectionChange, cause?: ConnectionError): void {
    const next = nextState(state, change)
    if (!next) throw new Error(`an MCP connection that is ${state} cannot take "${change}"`)
    state = next
    if (change === 'lost' || change === 'gave-up') session = undefined
    if (next !== 'connecting') error = cause
    events.emit({ type: 'state', state, ...(cause && { error: cause }) })
  }

  async function ready(waitMs: number, signal: AbortSignal | undefined): Promise<Session> {
    if (waitMs > 0 && !isSettled()) {
      const limits = [AbortSignal.timeout(waitMs), ...(signal ? [signal] : [])]
      for await (const _change of events.subscribe(AbortSignal.any(limits))) if (isSettled()) break
    }
    if (signal?.aborted) {
      throw new ConnectionError('aborted', 'The call was cancelled.', { cause: signal.reason })
    }
    const current = usableSession()
    if (current) return current
    throw notReady()
  }

  function isSettled(): boolean {
    return usableSession() !== undefined || state === 'failed' || state === 'closed'
  }

  /** A session that has just ended is still there for a moment. */
  function usableSession(): Session | undefined {
    return state === 'ready' && session?.ending() === undefined ? session : undefined
  }

  function notReady(): ConnectionError {
    if (state === 'closed') {
      return new ConnectionError('closed', `The connection to MCP server "${name}" is closed.`)
    }
    const cause = session?.ending() ?? error
    const text = `MCP server "${name}" is not ready: ${cause?.message ?? 'it is still starting.'}`
    return new ConnectionError('not-ready', text, { cause, stderr: cause?.stderr })
  }

  async function close(): Promise<void> {
    closing.abort()
    if (state !== 'closed') move('close')
    await session?.close()
    await supervised
    events.end()
  }

  return Object.freeze({
    ...calls,
    name,
    status: () => toStatus(state, usableSession(), error, failures),
    catalog: () => catalog,
    events: events.subscribe,
    async whenReady(waitMs: number, signal?: AbortSignal): Promise<void> {
      await ready(waitMs, signal)
    },
    subscribeResource: subscriptions.subscribe,
    retry: () => pause.abort(),
    close(): Promise<void> {
      closed ??= close()
      return closed
    },
  })
}

function toConnectionError(cause: unknown): ConnectionError {
  return cause instanceof ConnectionError ? cause : new ConnectionError('lost', messageOf(cause), { cause })
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
