import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'

export interface FrontOptions {
  readonly logger: Logger
  readonly maxSessions?: number
  readonly maxSessionsPerCaller?: number
  readonly maxStreams?: number
  readonly maxStreamsPerCaller?: number
  /** A session that nobody uses for this long is gone. */
  readonly sessionIdleMs?: number
  readonly maxBodyBytes?: number
  /** What a slow reader may leave unread. */
  readonly maxUnreadBytes?: number
  readonly keepAliveMs?: number
  /** An answer that takes longer becomes a stream, so that nobody on the way takes it for dead. */
  readonly streamAfterMs?: number
  readonly now?: () => number
}

export type FrontSettings = Readonly<Required<FrontOptions>>

/** One message of a JSON-RPC body as it came: nothing in it has been looked at. */
export type IncomingMessage = Readonly<Record<string, unknown>>

export type ReadHeaders = Pick<Headers, 'get'>

export interface FrontContext {
  readonly principal?: Principal | undefined
  /** The text of the body, where somebody has read it already (and looked at its content type, length and depth). */
  readonly body?: string | undefined
  /** The request's own where absent; to make those takes longer than to read the few that matter. */
  readonly headers?: ReadHeaders | undefined
  /** The client is gone; the request's own where absent. */
  readonly signal?: AbortSignal | undefined
  /** The headers as Node read them, name and value in turn: to look through them costs less than to build `Headers`. */
  readonly rawHeaders?: readonly string[] | undefined
  /** Called with the messages of the body before anything comes of them; what it throws is thrown. */
  readonly admit?: ((messages: readonly IncomingMessage[]) => void) | undefined
}

/** MCP over HTTP. Speaks `fetch`, so it can be mounted anywhere. Host, Origin and token are looked at before a request comes here. */
export interface HttpFront {
  fetch(request: Request, context?: FrontContext): Promise<Response>
  sessionCount(): number
  /** Ends all sessions and streams. */
  close(): Promise<void>
}

const DEFAULTS = Object.freeze({
  maxSessions: 1000,
  maxSessionsPerCaller: 200,
  maxStreams: 4096,
  maxStreamsPerCaller: 1024,
  sessionIdleMs: 30 * 60_000,
  maxBodyBytes: 1024 * 1024,
  maxUnreadBytes: 1024 * 1024,
  keepAliveMs: 15_000,
  streamAfterMs: 5_000,
  now: () => performance.now(),
})

export function toSettings(options: FrontOptions): FrontSettings {
  return Object.freeze({ ...DEFAULTS, ...options })
}
