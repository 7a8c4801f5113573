import type { Turn, TurnResult } from '../turns/turns.ts'
import { type TurnStep, turnSteps } from './turn-steps.ts'

/** What one request has set going, and the part of its turn that the request is to be shown. */
export interface Run {
  readonly turn: Turn
  steps(signal?: AbortSignal): AsyncIterable<TurnStep>
  /** How the turn stood before, where this run goes on with one that waited. */
  readonly before?: TurnResult
}

export function runOf(turn: Turn, after?: string): Run {
  return Object.freeze({
    turn,
    steps: (signal?: AbortSignal) => turnSteps(turn, { after, ...(signal && { signal }) }),
  })
}
