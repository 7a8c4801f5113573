import { ToolError } from '../tool-error.ts'
import { type Call, nameOf } from './call.ts'
import { explainConnection } from './connection-failure.ts'

export interface Limits {
  readonly timeoutMs: number
  /** The caller's: it is rejected with the reason of this signal. */
  readonly signal?: AbortSignal | undefined
  /** The whole server was closed. */
  readonly closed: AbortSignal
}

/** Does work that ends in time, and says in plain words why it did not get through. */
export async function withDeadline<Result>(
  call: Call,
  { timeoutMs, signal, closed }: Limits,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  const either = AbortSignal.any([closed, deadline.signal, ...(signal ? [signal] : [])])
  try {
    either.throwIfAborted()
    return await work(either)
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (signal?.aborted) throw signal.reason
    if (closed.aborted) {
      throw new ToolError('unreachable', `The connection to ${call.base} was closed on our side.`)
    }
    if (deadline.signal.aborted) {
      throw new ToolError(
        'unreachable',
        `Timed out: ${nameOf(call)} had no answer within ${timeoutMs / 1000} s. Check whether the server is busy or the network is slow, and try again.`,
      )
    }
    throw explainConnection(call, error)
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for work that is shared with others and goes on without us. */
export function waitFor<Result>(shared: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    if (signal.aborted) leave()
  })
}
