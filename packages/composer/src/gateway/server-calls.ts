import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import type { AuditEntry } from '../audit/audit.ts'
import { ComposerError } from '../composer-error.ts'
import type { Reply } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import type { CalledServers } from './called-servers.ts'
import type { GatewayRequest } from './gateway.ts'
import { outcomeOf } from './outcome.ts'
import type { Relay } from './relay.ts'
import { toRpcError } from './rpc-failure.ts'

export interface ServerCall {
  readonly server: string
  /** What is asked for: `server:name`, or a URI. */
  readonly target: string
  /** Its params as the server wants them. */
  readonly request: GatewayRequest
  /** Throws what keeps the request from being sent. */
  readonly check?: (() => void) | undefined
}

export interface ServerCallOptions {
  readonly find: (server: string) => SupervisedServer | undefined
  readonly relay: Relay
  readonly calledServers: CalledServers
  readonly logger: Logger
  /** Before each call of a tool; throws a `CallerError` (429). */
  readonly limit?: ((principal: Principal | undefined) => Promise<void>) | undefined
  /** After each request for a tool, a prompt or a resource. */
  readonly onCall?: ((entry: AuditEntry) => void) | undefined
}

const RECORDED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Requests that are meant for a server: limited, relayed and put on record. */
export interface ServerCalls {
  /** Never rejects. */
  call(call: ServerCall): Promise<Reply>
  /** The reply to a request of which it never became clear where it should go. */
  refuse(request: GatewayRequest, error: unknown): Reply
}

export function createServerCalls(options: ServerCallOptions): ServerCalls {
  const { find, relay, calledServers, logger, limit, onCall } = options

  function record(
    call: Pick<ServerCall, 'request' | 'target'> & { readonly server?: string },
    reply: Reply,
    durationMs: number,
  ): void {
    const { client, method } = call.request
    if (!onCall || !RECORDED.has(method)) return
    const { target, server } = call
    const subject = client.principal?.subject ?? 'anonymous'
    onCall({ subject, method, target, server, outcome: outcomeOf(reply), durationMs })
  }

  async function send({ server, target, request, check }: ServerCall): Promise<Reply> {
    check?.()
    if (request.method === 'tools/call') await limit?.(request.client.principal)
    const supervised = find(server)
    if (!supervised)
      throw new ComposerError('SERVER_NOT_FOUND', `Server "${server}" is no longer there. List again.`)
    calledServers.add(request.client, server)
    return relay(supervised, request, target)
  }

  return Object.freeze({
    async call(call) {
      const start = performance.now()
      const reply = await send(call).catch((error: unknown) => ({
        error: toRpcError(error, logger, call.server),
      }))
      record(call, reply, performance.now() - start)
      return reply
    },
    refuse(request, error) {
      const { name, uri } = request.params
      const reply = { error: toRpcError(error, logger) }
      record({ request, target: String(name ?? uri) }, reply, 0)
      return reply
    },
  } satisfies ServerCalls)
}
