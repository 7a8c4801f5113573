import type { Principal } from '@quire/kit/auth/principal'
import type { Era } from '@quire/mcp/connection/era'
import type { Asker, ClientInfo, Params, Reply } from '../rpc.ts'

/** A client as long as it is known: a session, a stdio connection, or one request of the protocol without sessions. */
export interface GatewayClient {
  readonly era: Era
  /** Absent on stdio, and where nobody is asked for a name. */
  readonly principal: Principal | undefined
  readonly capabilities: Params
  readonly clientInfo: ClientInfo | undefined
}

/** One request of a client, the method and params as they came (with `_meta`). */
export interface GatewayRequest extends Pick<Asker, 'signal' | 'logLevel' | 'notify' | 'pause' | 'ask'> {
  readonly client: GatewayClient
  readonly method: string
  readonly params: Params
  /** HTTP headers of the stateless protocol that mirror arguments (`mcp-param-*`), lower case; absent elsewhere. */
  readonly paramHeaders?: Readonly<Record<string, string>> | undefined
}

export type GatewayChange =
  | { readonly type: 'tools' | 'prompts' | 'resources' }
  | { readonly type: 'resource'; readonly uri: string }

/** What we are to clients, whichever way they come. */
export interface GatewayFace {
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly capabilities: Params
  readonly instructions: string | undefined
}

/** What stands behind a front (HTTP, SSE, stdio): all servers as one, or a single one. Knows nothing of ids, sessions and streams. */
export interface Gateway {
  /** To this client; without one, to somebody who has no name. */
  face(client?: Pick<GatewayClient, 'principal'>): GatewayFace
  /**
   * Answers every request but `initialize`, `ping`, `logging/setLevel`, `resources/subscribe`, `resources/unsubscribe` and `subscriptions/listen`, which are the front's.
   * Never rejects: what goes wrong is an error reply. An unknown method is -32601.
   */
  handle(request: GatewayRequest): Promise<Reply>
  /** A notification of a client beyond `initialized` and `cancelled`, such as `notifications/roots/list_changed`. */
  notified(client: GatewayClient, method: string, params: Params): void
  /** Wants to hear of a resource; rejects with an `RpcFault` where its server offers no subscriptions. Returns how to let go. */
  subscribe(client: GatewayClient, uri: string): Promise<() => void>
  /** Calls back on every change until the returned function is called. */
  onChange(listener: (change: GatewayChange) => void): () => void
}
