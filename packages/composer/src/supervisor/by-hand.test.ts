import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import type { RestartSettings } from '../server-definition.ts'
import { closeStage, define, settle, startFault, superviseTestLinks } from './links.fixture.ts'

let stage = superviseTestLinks()
afterEach(async () => {
  await closeStage(stage)
  stage = superviseTestLinks()
})

function restart(policy: RestartSettings['policy'], extra: Partial<RestartSettings> = {}) {
  return { restart: { policy, maxRestarts: undefined, delayMs: undefined, ...extra } }
}

describe('by hand', () => {
  test('start resolves when ready, stop when gone, and the events tell it', async () => {
    verifies('CO-SERVER-4', 'CO-SERVER-10')
    await stage.apply(define('a'))
    await stage.server('a').stop()
    expect(stage.latest('a').isClosed).toBe(true)
    expect(stage.server('a').status()).toMatchObject({ state: 'stopped', pid: null, uptimeSeconds: null })
    await stage.server('a').start()
    expect(stage.states('a')).toEqual(['starting', 'running', 'stopping', 'stopped', 'starting', 'running'])
    await stage.clock.pass(600_000)
    expect(stage.attempts()).toBe(2)
  })

  test('a running server cannot be started, a stopped one not stopped', async () => {
    verifies('CO-SERVER-11', 'CO-SERVER-12')
    await stage.apply(define('a'))
    const { start, stop } = stage.server('a')
    await expect(start()).rejects.toMatchObject({ code: 'SERVER_ALREADY_RUNNING', problem: { status: 400 } })
    await stop()
    await expect(stop()).rejects.toMatchObject({ code: 'SERVER_NOT_RUNNING', problem: { status: 400 } })
  })

  test('a start that fails rejects with the reason, and is tried again all the same', async () => {
    verifies('CO-SERVER-13')
    stage.behave('a', { open: () => Promise.reject(startFault('MCP server "a" ended with exit code 7.')) })
    await stage.apply(define('a', { autoStart: false }))
    await expect(stage.server('a').start()).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'Server "a" failed to start: it ended with exit code 7.',
      problem: { status: 500 },
    })
    expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: 500 })
  })

  test('a start joins one that is under way', async () => {
    const ready = Promise.withResolvers<void>()
    stage.behave('a', { open: () => ready.promise })
    await stage.apply(define('a'))
    const started = stage.server('a').start()
    ready.resolve()
    await started
    expect(stage.attempts()).toBe(1)
  })

  test('start clears the limit and needs no patience', async () => {
    verifies('CO-SUP-9')
    stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
    await stage.apply(define('a'))
    await stage.clock.pass(600_000)
    await expect(stage.server('a').start()).rejects.toMatchObject({ code: 'START_FAILED' })
    expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: 500 })
    stage.behave('a', {})
    await stage.server('a').start()
    expect(stage.server('a').status().state).toBe('running')
  })

  test('stop works at once while a server starts', async () => {
    stage.behave('a', {
      open: (_link, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    await stage.apply(define('a'))
    const started = stage.server('a').start()
    const stopped = stage.server('a').stop()
    await expect(started).rejects.toMatchObject({
      message: 'Server "a" failed to start: it was stopped meanwhile.',
    })
    await stopped
    expect(stage.states('a')).toEqual(['starting', 'stopping', 'stopped'])
  })

  test('stop works at once while a server waits for its next start', async () => {
    await stage.apply(define('a'))
    stage.latest('a').exit()
    await settle()
    await stage.server('a').stop()
    await stage.clock.pass(60_000)
    expect(stage.server('a').status()).toMatchObject({ state: 'stopped', retryInMs: null })
    expect(stage.attempts()).toBe(1)
  })

  test.each(['running', 'stopped', 'waiting', 'given up', 'starting'])(
    'restart works when it is %s',
    async (from) => {
      verifies('CO-SERVER-5')
      const first = Promise.withResolvers<void>()
      if (from === 'starting') stage.behave('a', { open: () => first.promise })
      await stage.apply(define('a', from === 'given up' ? restart('never') : {}))
      if (from === 'stopped') await stage.server('a').stop()
      if (from === 'waiting' || from === 'given up') stage.latest('a').exit()
      await settle()
      stage.behave('a', {})
      const before = stage.server('a').status().restartCount
      const restarted = stage.server('a').restart()
      await settle()
      first.resolve()
      await restarted
      expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: before + 1 })
      expect(stage.latest('a').isClosed).toBe(false)
    },
  )

  test('ten restarts at once are one', async () => {
    await stage.apply(define('a'))
    const { restart: again } = stage.server('a')
    await Promise.all(Array.from({ length: 10 }, () => again()))
    expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: 1 })
    expect(stage.attempts()).toBe(2)
  })

  test.each(['ends', 'starts'])('ten restarts while another %s are one more at the most', async (phase) => {
    const passed = Promise.withResolvers<void>()
    await stage.apply(define('a', { autoStart: false }))
    stage.behave('a', phase === 'ends' ? { close: () => passed.promise } : {})
    await stage.server('a').start()
    stage.behave('a', phase === 'starts' ? { open: () => passed.promise } : {})
    const { restart: again } = stage.server('a')
    const first = Promise.allSettled([again()])
    await settle()
    stage.behave('a', {})
    const rest = Array.from({ length: 10 }, () => again())
    passed.resolve()
    await Promise.all(rest)
    await first
    expect(stage.server('a').status().state).toBe('running')
    expect(stage.attempts()).toBe(phase === 'ends' ? 2 : 3)
  })

  test('what a later stop undoes is not begun', async () => {
    await stage.apply(define('a', { autoStart: false }))
    const { start, stop, restart: again } = stage.server('a')
    const [started, restarted, stopped, stoppedToo] = await Promise.allSettled([
      start(),
      again(),
      stop(),
      stop(),
    ])
    for (const undone of [started, restarted]) {
      expect(undone).toMatchObject({
        reason: { code: 'START_FAILED', message: 'Server "a" failed to start: it was stopped meanwhile.' },
      })
    }
    expect([stopped, stoppedToo]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
    expect(stage.attempts()).toBe(0)
    expect(stage.states('a')).toEqual([])
  })

  test('whatever is asked of one server at once comes one after the other', async () => {
    await stage.apply(define('a'))
    const { restart: again, stop, start } = stage.server('a')
    const results = await Promise.allSettled([
      again(),
      again(),
      stop(),
      start(),
      again(),
      stop(),
      stop(),
      again(),
    ])
    expect(results.map(({ status }) => status)).toEqual([
      // Each of these was overtaken by the next before it was ready.
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      // As it was asked to be, by the one before.
      'fulfilled',
      'fulfilled',
    ])
    expect(stage.attempts()).toBe(2)
    expect(stage.server('a').status().state).toBe('running')
    expect(stage.links.filter(({ isClosed }) => !isClosed)).toHaveLength(1)
  })
})
