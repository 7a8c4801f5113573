import { EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
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

describe('restarting', () => {
  test('a server that failed is started again, visibly and ever later', async () => {
    verifies('CO-SUP-4', 'CO-SUP-12')
    await stage.apply(define('a'))
    for (const delay of [500, 1000, 2000, 4000]) {
      stage.latest('a').exit()
      await settle()
      expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: delay })
      await stage.clock.pass(delay - 1)
      expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: 1 })
      await stage.clock.pass(1)
      expect(stage.server('a').status()).toMatchObject({ state: 'running', retryInMs: null })
    }
    expect(stage.server('a').status().restartCount).toBe(4)
  })

  test('after too many starts it stays crashed and says everything', async () => {
    verifies('CO-SUP-7', 'CO-SUP-8')
    const stderr = Array.from({ length: 50 }, (_, index) => `line ${index}`)
    stage.behave('a', {
      open: () =>
        Promise.reject(startFault('ended by SIGKILL', { signal: 'SIGKILL', exitCode: null, stderr })),
    })
    await stage.apply(define('a'))
    await stage.clock.pass(600_000)
    expect(stage.attempts()).toBe(5)
    expect(stage.server('a').status()).toMatchObject({
      state: 'crashed',
      restartCount: 4,
      retryInMs: null,
      lastError: {
        reason: expect.stringContaining('ended by SIGKILL; it was started 5 times within 120 s'),
        exitCode: null,
        signal: 'SIGKILL',
        stderr,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
    expect(stage.failure('a')).toEqual(stage.server('a').status().lastError)
  })

  test.each([
    ['never', 1, 'crashed'],
    ['never', 0, 'stopped'],
    ['on-failure', 1, 'running'],
    ['on-failure', 0, 'stopped'],
    ['always', 1, 'running'],
    ['always', 0, 'running'],
  ] as const)('with the policy "%s" a server that ended with %i is %s', async (policy, exitCode, state) => {
    verifies('CO-SUP-11', 'CO-SUP-12', 'CO-SUP-13')
    await stage.apply(define('a', restart(policy)))
    stage.latest('a').exit({ exitCode, reason: `ended with exit code ${exitCode}` })
    await stage.clock.pass(10_000)
    expect(stage.server('a').status().state).toBe(state)
    expect(stage.attempts()).toBe(state === 'running' ? 2 : 1)
  })

  test.each([
    ['a signal', { signal: 'SIGSEGV', exitCode: null }],
    ['a remote that was lost', { exitCode: null, reason: 'closed the connection' }],
  ])('%s is a failure', async (_what, end) => {
    await stage.apply(define('a'))
    stage.latest('a').exit(end)
    await settle()
    expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: 500 })
  })

  test('an exit with 0 before it was ever ready is a failure', async () => {
    stage.behave('a', { open: () => Promise.reject(startFault('ended with exit code 0', { exitCode: 0 })) })
    await stage.apply(define('a'))
    expect(stage.server('a').status()).toMatchObject({ state: 'crashed', retryInMs: 500 })
  })

  test('a session that was forgotten is opened anew at once, and nobody is refused meanwhile', async () => {
    const catalog = { ...EMPTY_CATALOG, prompts: [{ name: 'greet' }] }
    stage.behave('a', { catalog })
    await stage.apply(define('a', restart('never')))
    const old = stage.latest('a')
    const used = old.ended.then(() => stage.server('a').use(AbortSignal.timeout(30_000)))
    const offered = old.ended.then(() => stage.server('a').catalog())
    old.exit({ isForgotten: true })
    expect(await offered).toBe(catalog)
    expect(await used).not.toBe(old)
    expect(await used).toBe(stage.latest('a'))
    expect(stage.states('a')).toEqual(['starting', 'running', 'starting', 'running'])
    expect(stage.server('a').status()).toMatchObject({ restartCount: 0, lastError: null })
  })

  test('the next generation waits until nothing is left of the last', async () => {
    const gone = Promise.withResolvers<void>()
    stage.behave('a', { close: () => gone.promise })
    await stage.apply(define('a'))
    stage.latest('a').exit()
    await stage.clock.pass(5000)
    expect(stage.attempts()).toBe(1)
    gone.resolve()
    await stage.clock.pass(0)
    expect(stage.attempts()).toBe(2)
    expect(stage.server('a').status().state).toBe('running')
  })

  test('one that ended well is not gone before the last of it is', async () => {
    const gone = Promise.withResolvers<void>()
    stage.behave('a', { close: () => gone.promise })
    await stage.apply(define('a'))
    stage.latest('a').exit({ exitCode: 0 })
    await settle()
    expect(stage.server('a').status().state).toBe('stopped')
    let isClosed = false
    const closed = stage.supervisor.close().then(() => {
      isClosed = true
    })
    await settle()
    expect(isClosed).toBe(false)
    gone.resolve()
    await closed
  })

  test('a close that hangs holds up its server no longer than ten seconds', async () => {
    stage.behave('a', { close: () => new Promise(() => undefined) })
    await stage.apply(define('a', restart('never')))
    const stopped = stage.server('a').stop()
    await stage.clock.pass(9999)
    expect(stage.server('a').status().state).toBe('stopping')
    await stage.clock.pass(1)
    await stopped
    expect(stage.server('a').status().state).toBe('stopped')
  })

  test('max_restarts and restart_delay have their effect', async () => {
    verifies('CO-SUP-14')
    stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
    await stage.apply(define('a', restart('always', { maxRestarts: 2, delayMs: 5000 })))
    expect(stage.server('a').status().retryInMs).toBe(5000)
    await stage.clock.pass(5000)
    expect(stage.server('a').status().retryInMs).toBe(10_000)
    await stage.clock.pass(600_000)
    expect(stage.server('a').status()).toMatchObject({ state: 'crashed', restartCount: 2, retryInMs: null })
    expect(stage.attempts()).toBe(3)
  })
})
