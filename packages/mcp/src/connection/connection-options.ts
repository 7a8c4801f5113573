import type {
  ClientCapabilities,
  FetchLike,
  Implementation,
  LoggingLevel,
} from '@modelcontextprotocol/client'
import type { Logger } from '@quire/kit/log'
import { DEFAULT_STOP_TIMES, type StopTimes } from './child.ts'
import type { Environment } from './child-environment.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Era } from './era.ts'
import type { ServerRequestHandlers } from './handlers.ts'
import type { SessionTimeouts } from './session.ts'

export interface ConnectionTimeouts extends SessionTimeouts {
  /** A call that says nothing else. */
  readonly callMs: number
}

export interface ConnectionOptions {
  /** For messages and logs. */
  readonly name: string
  readonly clientInfo: Implementation
  readonly logger: Logger
  /** Our own environment, of which a stdio server sees only the few names every program needs. */
  readonly environment: Environment
  readonly handlers?: ServerRequestHandlers | undefined
  /** What we say that we can do, in place of what follows from the handlers. */
  readonly capabilities?: ClientCapabilities | undefined
  /** The era this server spoke last time: `legacy` spares the question for the new one. */
  readonly knownEra?: Era | undefined
  /** Which log messages the server is asked for; they come as events. */
  readonly logLevel?: LoggingLevel | undefined
  /** How often a lost connection is opened again before it counts as failed. Default: without end. */
  readonly maxReconnects?: number | undefined
  readonly timeouts?: Partial<ConnectionTimeouts> | undefined
  readonly stopTimes?: StopTimes | undefined
  readonly maxMessageBytes?: number | undefined
  readonly fetch?: FetchLike | undefined
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
}

const DEFAULT_TIMEOUTS: ConnectionTimeouts = Object.freeze({
  connectMs: 30_000,
  requestMs: 10_000,
  checkMs: 30_000,
  callMs: 60_000,
})
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

/** The same options, with nothing left open. */
export function withDefaults(options: ConnectionOptions) {
  return {
    ...options,
    handlers: options.handlers ?? {},
    maxReconnects: options.maxReconnects ?? Number.POSITIVE_INFINITY,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    stopTimes: options.stopTimes ?? DEFAULT_STOP_TIMES,
    maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    fetch: options.fetch ?? fetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}
