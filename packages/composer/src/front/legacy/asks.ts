import { isRecord } from '@quire/mcp/json'
import { type Params, RpcFault } from '../../rpc.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeMessage, encodeNotification } from '../protocol/encode.ts'
import type { RpcId, RpcResponse } from '../protocol/message.ts'

export interface Question {
  readonly method: string
  readonly params: Params
  /** Those of the client. */
  readonly capabilities: Params
  /** Any of them ends the wait. */
  readonly signals: readonly AbortSignal[]
  /** False when the client cannot be reached. */
  readonly send: (message: Buffer) => boolean
}

/** What a server asks the client of a session in the middle of a request, under ids of our own. */
export interface Asks {
  /** Rejects with an `RpcFault`. */
  ask(question: Question): Promise<unknown>
  /** An answer of the client; one that nobody waits for is dropped. */
  settle(response: RpcResponse): void
}

const MAX_PENDING = 64
/** Undefined: needs none. */
const CAPABILITY_OF: ReadonlyMap<string, string | undefined> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
  ['ping', undefined],
])

export function createAsks(): Asks {
  const pending = new Map<RpcId, PromiseWithResolvers<unknown>>()
  let count = 0

  async function ask({ method, params, capabilities, signals, send }: Question): Promise<unknown> {
    refuseUnanswerable(method, capabilities)
    if (pending.size >= MAX_PENDING)
      throw new RpcFault(CODES.internal, `The client has ${MAX_PENDING} questions to answer already.`)
    const signal = AbortSignal.any([...signals])
    const id = `ask-${++count}`
    const answer = Promise.withResolvers<unknown>()
    const giveUp = () => {
      send(encodeNotification('notifications/cancelled', { requestId: id }))
      answer.reject(new RpcFault(CODES.internal, 'The request that the question belongs to has ended.'))
    }
    pending.set(id, answer)
    try {
      if (signal.aborted || !send(encodeMessage({ id, method, params })))
        throw new RpcFault(CODES.internal, `The client cannot be reached with ${method} any more.`)
      signal.addEventListener('abort', giveUp, { once: true })
      return await answer.promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      pending.delete(id)
    }
  }

  return Object.freeze({
    ask,
    settle(response: RpcResponse) {
      const answer = pending.get(response.id)
      if ('result' in response) answer?.resolve(response.result)
      else answer?.reject(new RpcFault(response.error.code, response.error.message, response.error.data))
    },
  })
}

function refuseUnanswerable(method: string, capabilities: Params): void {
  const capability = CAPABILITY_OF.get(method)
  if (capability === undefined && CAPABILITY_OF.has(method)) return
  if (capability !== undefined && isRecord(capabilities[capability])) return
  throw new RpcFault(
    CODES.methodNotFound,
    capability === undefined
      ? `Clients cannot be asked ${method}.`
      : `The client cannot be asked ${method}: it has not declared the capability "${capability}".`,
  )
}
