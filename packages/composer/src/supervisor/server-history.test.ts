import { afterEach, describe, expect, test } from 'vitest'
import {
  closeStage,
  createTestClock,
  define,
  settle,
  startFault,
  superviseTestLinks,
} from './links.fixture.ts'
import { createServerHistory, MOST_RUNS } from './server-history.ts'

let stage = superviseTestLinks()
afterEach(async () => {
  await closeStage(stage)
  stage = superviseTestLinks()
})

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)
const runsOf = (name: string) => stage.server(name).history()

describe('a server remembers', () => {
  test('a start by the configuration, a stop and a start by hand', async () => {
    await stage.apply(define('a'))
    await stage.clock.pass(3_000)
    expect(runsOf('a')).toMatchObject([{ outcome: 'running', endedAt: null, ranMs: 3_000 }])
    await stage.server('a').stop()
    await stage.clock.pass(5_000)
    await stage.server('a').start()
    expect(runsOf('a')).toEqual([
      {
        startedAt: TIME,
        startedBy: 'request',
        readyAt: TIME,
        endedAt: null,
        outcome: 'running',
        stoppedBy: null,
        ranMs: 0,
        reason: null,
        exitCode: null,
        signal: null,
      },
      {
        startedAt: TIME,
        startedBy: 'config',
        readyAt: TIME,
        endedAt: TIME,
        outcome: 'stopped',
        stoppedBy: 'request',
        ranMs: 3_000,
        reason: null,
        exitCode: null,
        signal: null,
      },
    ])
  })

  test('a crash with its reason, and the start that we made after it', async () => {
    await stage.apply(define('a'))
    stage.latest('a').exit({ reason: 'was ended by SIGKILL', exitCode: null, signal: 'SIGKILL' })
    await settle()
    expect(runsOf('a')).toMatchObject([
      { outcome: 'failed', reason: 'was ended by SIGKILL', signal: 'SIGKILL', endedAt: TIME },
    ])
    await stage.clock.pass(500)
    expect(runsOf('a')).toMatchObject([{ outcome: 'running', startedBy: 'retry' }, { outcome: 'failed' }])
  })

  test('starts that came to nothing, and why it was left alone', async () => {
    stage.behave('a', { open: () => Promise.reject(startFault('ended', { exitCode: 7 })) })
    await stage.apply(define('a'))
    await stage.clock.pass(600_000)
    const [last, ...others] = runsOf('a')
    expect(last).toMatchObject({
      outcome: 'failed',
      startedBy: 'retry',
      readyAt: null,
      ranMs: null,
      exitCode: 7,
      reason: expect.stringContaining('left alone'),
    })
    expect(others).toHaveLength(4)
    expect(others.at(-1)).toMatchObject({ startedBy: 'config' })
    await stage.server('a').stop()
    expect(runsOf('a')).toHaveLength(5)
  })

  test('a good end of its own, and one that nobody used', async () => {
    await stage.apply(define('a'), define('b', { lazy: true, idleStopMs: 10_000 }))
    stage.latest('a').exit({ reason: 'ended', exitCode: 0 })
    await stage.clock.pass(10_000)
    expect(runsOf('a')).toMatchObject([{ outcome: 'exited', exitCode: 0 }])
    expect(runsOf('b')).toMatchObject([{ outcome: 'idle', ranMs: 10_000, stoppedBy: null }])
    await stage.server('b').use(new AbortController().signal)
    expect(runsOf('b')).toMatchObject([{ outcome: 'running', startedBy: 'call' }, { outcome: 'idle' }])
  })

  test('a start while it is under way, and a change of the configuration', async () => {
    const ready = Promise.withResolvers<void>()
    stage.behave('a', { open: () => ready.promise })
    await stage.apply(define('a'))
    expect(runsOf('a')).toMatchObject([{ outcome: 'starting', readyAt: null, ranMs: null }])
    ready.resolve()
    await settle()
    await stage.apply(define('a', { env: { NEW: '1' } }))
    expect(runsOf('a')).toMatchObject([
      { outcome: 'running', startedBy: 'config' },
      { outcome: 'stopped', stoppedBy: 'config' },
    ])
  })
})

test('it keeps the last runs alone', () => {
  const history = createServerHistory(createTestClock())
  for (let run = 0; run < MOST_RUNS + 10; run += 1) {
    history.started('retry')
    history.ended({ outcome: 'failed', reason: `failure ${run}` })
  }
  history.started('request')
  const runs = history.runs()
  expect(runs).toHaveLength(MOST_RUNS)
  expect(runs[0]).toMatchObject({ outcome: 'starting' })
  expect(runs[1]).toMatchObject({ reason: `failure ${MOST_RUNS + 9}` })
})
