import { describe, expect, test } from 'vitest'
import type { ServerState } from '../supervisor/server-state.ts'
import { healthOf } from './health.ts'
import { createFixtureServer, stdio } from './server.fixture.ts'

type Kind = 'auto' | 'manual' | 'lazy'

function server(state: ServerState, kind: Kind = 'auto', retryInMs: number | null = null) {
  const definition = stdio('one', ['node'], { autoStart: kind !== 'manual', lazy: kind === 'lazy' })
  const made = createFixtureServer(definition, {}, () => undefined)
  made.become(state, { retryInMs })
  return made
}

describe('the health of the whole is', () => {
  test.each([
    ['healthy', 'without servers', []],
    ['healthy', 'when all run', [server('running'), server('running')]],
    ['healthy', 'when what nobody started is stopped', [server('running'), server('stopped', 'manual')]],
    ['healthy', 'when a lazy one waits to be called', [server('stopped', 'lazy')]],
    ['degraded', 'while one is starting', [server('starting'), server('running')]],
    ['degraded', 'while the only one is starting', [server('starting')]],
    ['degraded', 'when somebody has stopped one', [server('running'), server('stopped')]],
    ['degraded', 'while one is stopping', [server('running'), server('stopping')]],
    ['degraded', 'while a crashed one waits for its next try', [server('crashed', 'auto', 500)]],
    [
      'degraded',
      'when one has crashed for good beside one that runs',
      [server('running'), server('crashed')],
    ],
    [
      'degraded',
      'when one has crashed for good that was started by hand',
      [server('running'), server('crashed', 'manual')],
    ],
    ['unhealthy', 'when the only one has crashed for good', [server('crashed')]],
    ['unhealthy', 'when none runs and one has crashed for good', [server('crashed'), server('starting')]],
  ])('%s %s', (expected, _when, servers) => {
    expect(healthOf(servers)).toBe(expected)
  })
})
