import { messageOf } from '@quire/mcp/connection/errors'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { LinkEnd } from './link.ts'
import type { LinkError } from './link-error.ts'
import { abortedFault, lostFault, unsentFault } from './link-faults.ts'
import { type ProgressToken, progressTokenOf, type Speech, toOutgoingParams } from './outgoing-params.ts'
import { askersOfOneClient } from './told.ts'

/** A request from its sending until its answer, its end or its cancellation. */
export interface PendingRequest {
  readonly id: number
  readonly method: string
  /** As the asker gave them. */
  readonly params: Params
  /** As they go to the server. */
  readonly outgoing: Params
  readonly speech: Speech
  readonly asker: Asker
  /** The asker's own. */
  readonly token: ProgressToken | undefined
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: LinkError) => void
  /** Lets go of what it travels on, where that is its own. */
  hangUp?: () => void
}

/** All requests of a lane that have no answer yet, under ids of our own. */
export interface PendingRequests {
  /** How requests travel; undefined until the handshake is done. */
  readonly speech: Speech | undefined
  readonly hasEnded: boolean
  /** From now on requests may travel. */
  open(speech: Speech): void
  ask(method: string, params: Params, asker: Asker): Promise<Reply>
  find(id: number): PendingRequest | undefined
  /** Takes it out, for whoever tells its asker what came of it. */
  settle(id: number): PendingRequest | undefined
  /** Those who wait, if they are all one client. */
  askers(): readonly Asker[] | undefined
  /** Takes no more. False when it had ended before. */
  end(end: LinkEnd): boolean
  /** Nobody who still waits gets an answer. */
  giveUp(end: LinkEnd): void
  /** Done when nobody waits any more. */
  drained(): Promise<void>
}

export interface PendingRequestsOptions {
  readonly server: string
  readonly send: (request: PendingRequest) => void
  readonly sendCancellation: (params: { readonly requestId: number; readonly reason: string }) => void
}

/** The SDK counts from 0. */
export const FIRST_ID = 1_000_000_000

export function createPendingRequests(options: PendingRequestsOptions): PendingRequests {
  const { server } = options
  // No Map: see under-way.ts. Numbers that begin this high make it a table, and not a list with holes.
  const pending: Record<number, PendingRequest & { readonly onAbort: () => void }> = Object.create(null)
  let count = 0
  let speech: Speech | undefined
  let ended: LinkEnd | undefined
  let nextId = FIRST_ID
  let empty: PromiseWithResolvers<void> | undefined

  function ask(method: string, params: Params, asker: Asker): Promise<Reply> {
    if (ended) return Promise.reject(unsentFault(server, `it ${ended.reason}`, ended))
    if (!speech) return Promise.reject(unsentFault(server, 'its handshake is not done'))
    if (asker.signal.aborted) return Promise.reject(abortedFault(server, asker.signal.reason))
    const id = nextId
    nextId += 1
    const token = progressTokenOf(params)
    const outgoing = toOutgoingParams(params, asker, token === undefined ? undefined : id, speech)
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const onAbort = () => cancel(id)
    const request = { id, method, params, outgoing, speech, asker, token, resolve, reject, onAbort }
    pending[id] = request
    count += 1
    asker.signal.addEventListener('abort', onAbort)
    try {
      options.send(request)
    } catch (error) {
      settle(id)
      reject(error)
    }
    return promise
  }

  function settle(id: number): PendingRequest | undefined {
    const request = pending[id]
    if (!request) return undefined
    delete pending[id]
    count -= 1
    request.asker.signal.removeEventListener('abort', request.onAbort)
    if (count === 0) empty?.resolve()
    return request
  }

  function cancel(id: number): void {
    const request = settle(id)
    if (!request) return
    const { reason } = request.asker.signal
    options.sendCancellation({ requestId: id, reason: messageOf(reason) })
    request.hangUp?.()
    request.reject(abortedFault(server, reason))
  }

  return Object.freeze({
    get speech() {
      return speech
    },
    get hasEnded() {
      return ended !== undefined
    },
    open(next) {
      speech = next
    },
    ask,
    find: (id) => pending[id],
    settle,
    askers: () => askersOfOneClient(Object.values(pending).map(({ asker }) => asker)),
    end(end) {
      if (ended) return false
      ended = end
      return true
    },
    giveUp(end) {
      for (const { id } of Object.values(pending)) {
        const request = settle(id)
        request?.hangUp?.()
        request?.reject(lostFault(server, end))
      }
    },
    async drained() {
      // Asked for at the end alone, when none is taken any more.
      empty ??= Promise.withResolvers()
      if (count > 0) await empty.promise
    },
  } satisfies PendingRequests)
}
