import { createLogger } from '@quire/kit/log'
import { afterEach, expect, test } from 'vitest'
import { closeStage, define, settle, startFault, superviseTestLinks } from './links.fixture.ts'

let lines: Record<string, unknown>[] = []
const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
const logger = createLogger({ level: 'info', pretty: false, destination })
/** Spread, so that delays are no whole numbers. */
const random = () => 0.123456789

let stage = superviseTestLinks({ logger, random })
afterEach(async () => {
  await closeStage(stage)
  lines = []
  stage = superviseTestLinks({ logger, random })
})

const told = () => lines.map(({ time: _time, ...line }) => line)

test('the log tells of the run, the failure, the recovery and the stop of a server', async () => {
  await stage.apply(define('a'))
  stage.behave('a', { open: () => Promise.reject(startFault('ended at once')) })
  stage.latest('a').exit()
  await stage.clock.pass(500)
  stage.behave('a', {})
  await stage.clock.pass(1000)
  await stage.server('a').stop()
  const failed = { level: 'warn', server: 'a', msg: 'a server has failed' }
  expect(told()).toEqual([
    { level: 'info', server: 'a', tookMs: 0, failures: 0, msg: 'a server is running' },
    { ...failed, reason: 'ended with exit code 1', exitCode: 1, signal: null, retryInMs: 425 },
    {
      ...failed,
      reason: 'could not be started: ended at once',
      exitCode: 1,
      signal: null,
      retryInMs: 850,
    },
    { level: 'info', server: 'a', tookMs: 0, failures: 2, msg: 'a server is running again' },
    { level: 'info', server: 'a', msg: 'a server is stopped' },
  ])
})

test('the log tells when a server is left alone', async () => {
  const restart = { policy: 'on-failure', maxRestarts: 1, delayMs: 100 } as const
  stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
  await stage.apply(define('a', { restart }))
  await stage.clock.pass(1000)
  expect(told().at(-1)).toMatchObject({
    level: 'warn',
    server: 'a',
    reason: 'could not be started: ended; it was restarted once and is left alone now',
    retryInMs: null,
    msg: 'a server has failed and is left alone',
  })
})

test('events tell how a start went and when the next one comes', async () => {
  await stage.apply(define('a'))
  stage.latest('a').exit()
  await settle()
  expect(stage.events.at(-1)).toMatchObject({ state: 'crashed', retryInMs: 425 })
  await stage.clock.pass(425)
  expect(stage.events.at(-1)).toEqual({
    type: 'state',
    server: 'a',
    state: 'running',
    start: { tookMs: 0, failures: 1 },
  })
})
