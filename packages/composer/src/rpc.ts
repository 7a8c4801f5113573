import type { Era } from '@quire/mcp/connection/era'

/** JSON as its writer wrote it, handed on without being read. */
export type RawJson = Buffer

export type Params = Readonly<Record<string, unknown>>

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What a server answered, the error as much as the result. */
export type Reply =
  | {
      readonly result: RawJson /** In which it travelled; a link always says it. */
      readonly era?: Era | undefined
    }
  | { readonly error: RpcError }

/** Thrown by whoever answers a request: the other side gets it as the error of that request. */
export class RpcFault extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcFault'
    this.code = code
    this.data = data
  }
}

export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** Who waits for the answer to one request, and what a server may tell or ask them meanwhile. */
export interface Asker {
  /** Which protocol they speak. */
  readonly era: Era
  /** What they can be asked, in the protocol's own words: `{ sampling: {}, elicitation: {} }`. */
  readonly capabilities: Params
  readonly clientInfo?: ClientInfo | undefined
  /** The same object for each request of one client: what a server says without naming a request goes to its only asker, if there is one. */
  readonly client: object
  /** Aborting cancels the request at the server. */
  readonly signal: AbortSignal
  /** Which log messages they want, where their protocol says it once for all requests; `info` where it does not. */
  readonly logLevel?: string | undefined
  /** Progress (with the asker's own token) and log messages. Absent: nobody listens. */
  readonly notify?: ((method: string, params: Params) => void) | undefined
  /** The server has let go of the connection until it has more to say; whoever can come back for it may be let go too. */
  readonly pause?: (() => void) | undefined
  /** Sampling, elicitation, roots. Rejects with an `RpcFault`; absent where the client can be asked nothing. */
  readonly ask?: ((method: string, params: Params, signal: AbortSignal) => Promise<unknown>) | undefined
}
