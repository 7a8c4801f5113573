import type { Answer } from '@quire/kit/app/answer'
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
  /** The headers as Node read them, name and value in turn: to look through them costs less than to build `Headers`. */
  readonly rawHeaders?: readonly string[] | undefined
  /** Called with the messages of the body before anything comes of them; what it throws is thrown. */
  readonly admit?: ((messages: readonly IncomingMessage[]) => void) | undefined
}

/** A request whose body, if it has one, was read and parsed. */
export interface FrontRequest {
  readonly method: string
  readonly headers: ReadHeaders
  /** As they came, name and value in turn. */
  readonly rawHeaders: () => readonly string[]
  readonly principal: Principal | undefined
  readonly body: unknown
  /** Calls back when the client is gone. */
  readonly onGone: (callback: () => void) => void
}

/** A POST whose body is there, and whose sender was admitted. */
export interface FrontPost extends Omit<FrontRequest, 'method' | 'body'> {
  readonly text: string
  /** Called with the messages of the body before anything comes of them. */
  readonly mayPass: (messages: readonly IncomingMessage[]) => boolean
}

/** MCP over HTTP. Speaks `fetch`, so it can be mounted anywhere. Host, Origin and token are looked at before a request comes here. */
export interface HttpFront {
  fetch(request: Request, context?: FrontContext): Promise<Response>
  sessionCount(): number
  /** Ends all sessions and streams. */
  close(): Promise<void>
}

export interface StreamableFront extends HttpFront {
  /** The same as `fetch` of it, without the cost of a `Request`. Undefined for what is better refused by whoever stands before the front. */
  post(post: FrontPost): Promise<Answer> | undefined
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
