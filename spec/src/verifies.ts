import { TestRunner } from 'vitest'
import type { ClauseId } from './ledger.ts'

declare module 'vitest' {
  interface TaskMeta {
    verifies?: ClauseId[]
  }
}

/** Says, inside a test, which clauses the test proves when it passes. */
export function verifies(...ids: ClauseId[]): void {
  const test = TestRunner.getCurrentTest()
  if (test === undefined)
    throw new Error(`verifies(${ids.join(', ')}) was called outside a test: call it in the body of one`)
  // The runner knows one current test only, so among concurrent tests a citation could land on a neighbour.
  if (test.concurrent)
    throw new Error(`"${test.name}" is concurrent and cannot cite clauses: make it sequential`)
  test.meta.verifies = [...(test.meta.verifies ?? []), ...ids]
}
