import { AgentError } from '../agent-error.ts'
import type { AgentEvent } from '../event.ts'
import type { Model, ModelEvent, ModelRequest } from '../model/model.ts'
import type { Reply } from './reply.ts'
import type { Waiter } from './waiter.ts'

export interface Asked {
  /** The next fragment; undefined when there are no more, for whatever reason. */
  next(): Promise<AgentEvent | undefined>
  /** Why the answer is not whole, unless it is or the run was aborted. */
  failure(): AgentError | undefined
}

/** One request to the model. What it says is gathered in the reply. */
export function askModel(model: Model, request: ModelRequest, reply: Reply, waiter: Waiter): Asked {
  let iterator: AsyncIterator<ModelEvent> | undefined
  let failure: AgentError | undefined

  return Object.freeze({
    async next(): Promise<AgentEvent | undefined> {
      try {
        iterator ??= model.stream(request)[Symbol.asyncIterator]()
        for (;;) {
          const item = await waiter.wait(iterator.next())
          if (item.done) break
          const fragment = reply.take(item.value)
          if (fragment !== undefined) return fragment
        }
        failure = lackOf(reply, model.id)
      } catch (error) {
        leave()
        // What fails after the last word does not undo it.
        if (!request.signal.aborted && reply.finish() === undefined) failure = toAgentError(error, model.id)
      }
      return undefined
    },
    failure: () => failure,
  })

  function leave(): void {
    // It may never settle, or reject with the abort that it was told of: the answer was given up already.
    iterator?.return?.().then(undefined, () => undefined)
  }
}

function lackOf(reply: Reply, id: string): AgentError | undefined {
  const finish = reply.finish()
  if (finish === undefined) {
    return new AgentError('garbled', `The answer of "${id}" ended in the middle. Ask again.`)
  }
  if (reply.parts().length > 0) return undefined
  if (finish === 'filtered') {
    return new AgentError(
      'refused',
      `The provider of "${id}" kept the whole answer back. Put the request in other words.`,
    )
  }
  const why =
    finish === 'length' ? 'reached its limit before it had said anything' : 'answered with nothing at all'
  return new AgentError('garbled', `"${id}" ${why}. Ask again, or choose another model.`)
}

function toAgentError(error: unknown, id: string): AgentError {
  if (error instanceof AgentError) return error
  return new AgentError(
    'internal',
    `"${id}" failed for a reason that is not its provider's. Ask again; the log has the cause.`,
    {
      cause: error,
    },
  )
}
