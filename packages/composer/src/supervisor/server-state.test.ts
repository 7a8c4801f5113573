import { expect, test } from 'vitest'
import { nextState, SERVER_CHANGES, SERVER_STATES } from './server-state.ts'

const expected: Record<string, string> = {
  'starting ready': 'running',
  'starting failed': 'crashed',
  'starting stop': 'stopping',
  'running failed': 'crashed',
  'running ended': 'stopped',
  'running reopen': 'starting',
  'running stop': 'stopping',
  'stopping gone': 'stopped',
  'stopped start': 'starting',
  'crashed start': 'starting',
  'crashed retry': 'starting',
  'crashed stop': 'stopping',
}

test.each(SERVER_STATES.flatMap((state) => SERVER_CHANGES.map((change) => [state, change] as const)))(
  'a server that is %s takes "%s" as the table says',
  (state, change) => {
    expect(nextState(state, change)).toBe(expected[`${state} ${change}`])
  },
)
