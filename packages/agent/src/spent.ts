import type { Model } from './model/model.ts'
import { addUsage, NO_USAGE, type Usage } from './usage.ts'

export interface SpentUsage extends Usage {
  /** US dollars; absent where nobody knows the price of all of it. */
  readonly cost?: number
}

export const NOTHING_SPENT: SpentUsage = Object.freeze({ ...NO_USAGE, cost: 0 })

/** The cost of a sum is known where that of every part is. */
export function addSpent(one: SpentUsage, other: SpentUsage): SpentUsage {
  const usage = addUsage(one, other)
  return one.cost === undefined || other.cost === undefined
    ? usage
    : { ...usage, cost: one.cost + other.cost }
}

export function toSpent(usage: Usage, model: Pick<Model, 'cost'>): SpentUsage {
  const cost = model.cost(usage)
  return cost === undefined ? usage : { ...usage, cost }
}
