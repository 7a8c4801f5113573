import type { McpServer, Server } from '@modelcontextprotocol/server'
import type { Era } from '../connection/era.ts'

/** Who is calling. What a service knows beyond that goes through to its factory. */
export interface Caller {
  readonly subject: string
  readonly scopes?: ReadonlySet<string>
  /** Ends what the caller has open. */
  readonly revoked?: AbortSignal
}

export interface ServingContext<Principal extends Caller> {
  /** legacy: one server object for a session (or for stdio). modern: one for each request. */
  readonly era: Era
  /** Undefined where nobody is asked for a name, and on stdio. */
  readonly principal: Principal | undefined
}

export type ServerFactory<Principal extends Caller = Caller> = (
  context: ServingContext<Principal>,
) => McpServer | Server | Promise<McpServer | Server>
