import type { Model, ModelEvent, ModelRequest } from '@quire/agent/model'
import type { Usage } from '@quire/agent/usage'
import type { BudgetGate } from './members.ts'

export interface GatedModel {
  readonly model: Model
  /** What the gate has thrown at the last request, as it was: to a run it is a failure like any other. */
  refusal(): { readonly error: unknown } | undefined
}

/** The gate is asked before each request. */
export function createGatedModel(model: Model, gate: BudgetGate): GatedModel {
  let refusal: { readonly error: unknown } | undefined

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    refusal = undefined
    try {
      await gate.check()
    } catch (error) {
      refusal = { error }
      throw error
    }
    request.signal.throwIfAborted()
    yield* model.stream(request)
  }

  const { id, contextWindow } = model
  return Object.freeze({
    model: Object.freeze({ id, contextWindow, cost: (usage: Usage) => model.cost(usage), stream }),
    refusal: () => refusal,
  })
}
