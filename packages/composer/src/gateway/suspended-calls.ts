import { randomBytes } from 'node:crypto'
import { ownerOf } from '../front/protocol/owner.ts'
import { type Reply, RpcFault } from '../rpc.ts'
import { checkQuestion } from './client-questions.ts'
import type { GatewayRequest } from './gateway.ts'
import { toRawJson } from './modern-result.ts'
import { type CallLine, createPendingCall, type PendingCall } from './pending-call.ts'
import { INTERNAL_ERROR, INVALID_PARAMS } from './rpc-codes.ts'

export interface SuspendedCalls {
  /** Whether the request goes on with one of our calls, or pretends to. */
  isResumed(request: GatewayRequest): boolean
  /** Resolves with the reply, or with the questions that the server has asked meanwhile. */
  begin(request: GatewayRequest, target: string, send: (line: CallLine) => Promise<Reply>): Promise<Reply>
  /** Goes on with the call that `requestState` names, with the answers that the request brings. */
  resume(request: GatewayRequest, target: string): Promise<Reply>
  /** Cancels whatever waits for a client. */
  close(): void
}

interface Suspended {
  readonly call: PendingCall
  readonly owner: Owner
  readonly timer: NodeJS.Timeout
}

/** Who may go on with a call, and by which request. */
interface Owner {
  readonly client: string
  readonly target: string
}

const EXPIRY_MS = 5 * 60_000
const MAX_SUSPENDED = 256
const MAX_OF_ONE_CLIENT = 64
const EXPIRED =
  'Invalid or expired requestState: it holds once, for five minutes, for the client and the request that it was made for. Send the request again without it.'

/** Calls to servers that ask in the middle of a call, for clients that are asked by an answer: each waits here for its client to come back. */
export function createSuspendedCalls(options: { readonly expiryMs?: number } = {}): SuspendedCalls {
  const { expiryMs = EXPIRY_MS } = options
  // Another composer behind this one makes handles too, and those are not ours.
  const prefix = `${randomBytes(9).toString('base64url')}.`
  const suspended = new Map<string, Suspended>()

  async function wait(call: PendingCall, owner: Owner, request: GatewayRequest): Promise<Reply> {
    const reply = await call.wait(request)
    if (reply) return reply
    const requestState = `${prefix}${randomBytes(32).toString('base64url')}`
    const timer = setTimeout(() => drop(requestState), expiryMs).unref()
    suspended.set(requestState, { call, owner, timer })
    const result = { resultType: 'input_required', inputRequests: call.questions(), requestState }
    return { result: toRawJson(result), era: 'modern' }
  }

  function drop(requestState: string): void {
    take(requestState)?.call.cancel(new Error('its client did not come back with an answer'))
  }

  function take(requestState: string): Suspended | undefined {
    const found = suspended.get(requestState)
    suspended.delete(requestState)
    clearTimeout(found?.timer)
    return found
  }

  function checkRoom({ client }: Owner): void {
    const own = [...suspended.values()].filter(({ owner }) => owner.client === client)
    if (suspended.size < MAX_SUSPENDED && own.length < MAX_OF_ONE_CLIENT) return
    throw new RpcFault(INTERNAL_ERROR, 'Too many calls wait for an answer of their client. Try again later.')
  }

  return Object.freeze({
    isResumed: ({ params: { requestState } }) =>
      typeof requestState === 'string' && requestState.startsWith(prefix),
    begin(request, target, send) {
      const owner = toOwner(request, target)
      const call = createPendingCall(request, send, (method, params) => {
        checkQuestion(method, params, request.client.capabilities)
        checkRoom(owner)
      })
      return wait(call, owner, request)
    },
    async resume(request, target) {
      const requestState = String(request.params.requestState)
      const owner = toOwner(request, target)
      const known = suspended.get(requestState)?.owner
      if (known?.target !== owner.target || known.client !== owner.client) throw expired()
      const found = take(requestState)
      if (!found) throw expired()
      found.call.answer(request.params.inputResponses)
      return wait(found.call, owner, request)
    },
    close() {
      for (const requestState of suspended.keys()) drop(requestState)
    },
  } satisfies SuspendedCalls)
}

export function expired(): RpcFault {
  return new RpcFault(INVALID_PARAMS, EXPIRED, { reason: 'invalid_request_state' })
}

function toOwner({ client, method }: GatewayRequest, target: string): Owner {
  return { client: ownerOf(client.principal), target: `${method} ${target}` }
}
