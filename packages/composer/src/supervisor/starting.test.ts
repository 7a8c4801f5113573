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

describe('starting', () => {
  test('a server runs once its link is open, not before', async () => {
    verifies('CO-SUP-1', 'CO-SUP-2')
    const ready = Promise.withResolvers<void>()
    stage.behave('a', { open: () => ready.promise })
    await stage.apply(define('a'))
    expect(stage.server('a').status()).toMatchObject({ state: 'starting', pid: null, uptimeSeconds: null })
    expect(stage.server('a').link()).toBeUndefined()
    ready.resolve()
    await settle()
    await stage.clock.pass(1500)
    expect(stage.server('a').status()).toMatchObject({
      state: 'running',
      uptimeSeconds: 1.5,
      restartCount: 0,
      lastError: null,
    })
    expect(stage.server('a').link()).toBe(stage.latest('a'))
    expect(stage.states('a')).toEqual(['starting', 'running'])
  })

  test('a server that is not ready in time has failed, and is swept away', async () => {
    verifies('CO-SUP-3')
    let isCalledOff = false
    stage.behave('a', {
      open: (_link, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isCalledOff = true
            reject(signal.reason)
          })
        }),
    })
    await stage.apply(define('a'))
    await stage.clock.pass(29_999)
    expect(stage.server('a').status().state).toBe('starting')
    await stage.clock.pass(1)
    expect(isCalledOff).toBe(true)
    expect(stage.server('a').status()).toMatchObject({
      state: 'crashed',
      lastError: { reason: 'was not ready within 30 s', exitCode: null },
      retryInMs: 500,
    })
  })

  test('a link that opens although it was called off is closed', async () => {
    const late = Promise.withResolvers<void>()
    stage.behave('a', { open: () => late.promise })
    await stage.apply(define('a', restart('never')))
    await stage.clock.pass(30_000)
    late.resolve()
    await settle()
    expect(stage.latest('a').isClosed).toBe(true)
    expect(stage.server('a').status().state).toBe('crashed')
  })

  test('a start that hangs beyond its end does not hold up the next', async () => {
    stage.behave('a', { open: () => new Promise(() => undefined) })
    await stage.apply(define('a', restart('never')))
    await stage.clock.pass(40_000)
    expect(stage.server('a').status().state).toBe('crashed')
  })

  test('one bad server never delays another', async () => {
    const bad = Array.from({ length: 15 }, (_, index) => `bad${index}`)
    for (const name of bad) stage.behave(name, { open: () => new Promise(() => undefined) })
    stage.behave('worse', { open: () => Promise.reject(new Error('boom')) })
    await stage.apply(...bad.map((name) => define(name)), define('worse'), define('good'))
    expect(stage.server('good').status().state).toBe('running')
    expect(stage.server('worse').status()).toMatchObject({
      state: 'crashed',
      lastError: { reason: 'could not be started: boom' },
    })
  })

  test('no more than sixteen start at a time', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
    const ready = Promise.withResolvers<void>()
    for (const name of names) stage.behave(name, { open: () => ready.promise })
    await stage.apply(...names.map((name) => define(name)))
    expect(stage.attempts()).toBe(16)
    await stage.server('s19').stop()
    ready.resolve()
    await settle()
    expect(stage.attempts()).toBe(19)
    expect(names.map((name) => stage.server(name).status().state)).toEqual([
      ...Array(19).fill('running'),
      'stopped',
    ])
  })

  test('autostart false leaves a server stopped until somebody starts it', async () => {
    verifies('CO-SERVER-3')
    await stage.apply(define('a', { autoStart: false }))
    expect(stage.server('a').status().state).toBe('stopped')
    expect(stage.attempts()).toBe(0)
    await stage.server('a').start()
    expect(stage.server('a').status().state).toBe('running')
  })
})

describe('using', () => {
  const signal = AbortSignal.timeout(60_000)

  test('waits for a server that starts', async () => {
    const ready = Promise.withResolvers<void>()
    stage.behave('a', { open: () => ready.promise })
    await stage.apply(define('a'))
    const used = stage.server('a').use(signal)
    ready.resolve()
    expect(await used).toBe(stage.latest('a'))
  })

  test('gives up with its signal', async () => {
    const ready = Promise.withResolvers<void>()
    stage.behave('a', { open: () => ready.promise })
    await stage.apply(define('a'))
    const controller = new AbortController()
    const used = stage.server('a').use(controller.signal)
    controller.abort()
    await expect(used).rejects.toMatchObject({ code: 'CANCELLED' })
    ready.resolve()
  })

  test('is refused by a stopped server', async () => {
    await stage.apply(define('a', { autoStart: false }))
    await expect(stage.server('a').use(signal)).rejects.toMatchObject({
      code: 'SERVER_NOT_RUNNING',
      problem: { status: 400 },
    })
  })

  test('is refused by a crashed server, with the reason and when it comes back', async () => {
    verifies('CO-INVOKE-6')
    await stage.apply(define('a'))
    stage.latest('a').exit()
    await settle()
    await expect(stage.server('a').use(signal)).rejects.toMatchObject({
      code: 'SERVER_CRASHED',
      problem: { status: 503 },
      message: 'Server "a" has crashed: it ended with exit code 1. It is started again soon.',
      headers: { 'retry-after': '1' },
    })
  })

  test('is refused when the start that it waits for fails', async () => {
    const ready = Promise.withResolvers<void>()
    stage.behave('a', { open: () => ready.promise })
    await stage.apply(define('a'))
    const used = stage.server('a').use(signal)
    ready.reject(startFault('ended'))
    await expect(used).rejects.toMatchObject({ code: 'SERVER_CRASHED' })
  })
})

describe('telling', () => {
  test('what a link tells is told on', async () => {
    await stage.apply(define('a'))
    const { options } = stage.latest('a')
    options.onCatalog('tools')
    options.onResource('memo://one')
    options.onLog({ level: 'info', data: 'hello' })
    options.onStderr('a line')
    options.onGarbage()
    expect(stage.events.filter(({ type }) => type !== 'state')).toEqual([
      { type: 'catalog', server: 'a', kind: 'tools' },
      { type: 'resource', server: 'a', uri: 'memo://one' },
      { type: 'log', server: 'a', entry: { level: 'info', data: 'hello' } },
      { type: 'stderr', server: 'a', line: 'a line' },
      { type: 'garbage', server: 'a' },
    ])
  })

  test('log_stderr false keeps its lines out of the events', async () => {
    await stage.apply(define('a', { logStderr: false }))
    stage.latest('a').options.onStderr('a line')
    expect(stage.events.filter(({ type }) => type === 'stderr')).toEqual([])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('bad listener')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('bad listener')
      },
    ],
  ])('a listener that %s breaks nothing', async (_how, onEvent) => {
    stage = superviseTestLinks({ onEvent })
    await stage.apply(define('a'))
    stage.latest('a').options.onStderr('a line')
    stage.latest('a').exit()
    await stage.clock.pass(500)
    expect(stage.server('a').status().state).toBe('running')
  })
})
