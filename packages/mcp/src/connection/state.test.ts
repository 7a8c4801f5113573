import { expect, test } from 'vitest'
import { CONNECTION_CHANGES, CONNECTION_STATES, nextState } from './state.ts'

const expected: Record<string, string> = {
  'connecting connected': 'ready',
  'connecting lost': 'backoff',
  'connecting gave-up': 'failed',
  'connecting close': 'closed',
  'ready lost': 'backoff',
  'ready gave-up': 'failed',
  'ready close': 'closed',
  'backoff retry': 'connecting',
  'backoff close': 'closed',
  'failed retry': 'connecting',
  'failed close': 'closed',
}

test.each(CONNECTION_STATES.flatMap((state) => CONNECTION_CHANGES.map((change) => [state, change] as const)))(
  'a connection that is %s takes "%s" as the table says',
  (state, change) => {
    expect(nextState(state, change)).toBe(expected[`${state} ${change}`])
  },
)
