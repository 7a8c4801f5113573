import { afterEach, describe, expect, test } from 'vitest'
import type { Params } from '../rpc.ts'
import type { HealthSettings } from '../server-definition.ts'
import { define, settle, superviseTestLinks } from './links.fixture.ts'

let memory: number | undefined = 0
let stage = superviseTestLinks({ memoryOf: async () => memory })
afterEach(async () => {
  await stage.supervisor.close()
  expect(stage.clock.sleepers()).toEqual([])
  memory = 0
  stage = superviseTestLinks({ memoryOf: async () => memory })
})

const ping: HealthSettings = { method: 'ping', tool: undefined, intervalMs: 10_000, timeoutMs: 2000 }
const tool: HealthSettings = { ...ping, method: 'tool', tool: 'health' }

describe('health', () => {
  test('one that answers runs on', async () => {
    let pings = 0
    stage.behave('a', {
      ping: async () => {
        pings += 1
      },
    })
    await stage.apply(define('a', { health: ping }))
    await stage.clock.pass(100_000)
    expect(pings).toBe(10)
    expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: 0 })
  })

  test('one that does not answer in time is closed, has failed, and is started again', async () => {
    stage.behave('a', { ping: () => new Promise(() => undefined) })
    await stage.apply(define('a', { health: ping }))
    const sick = stage.latest('a')
    sick.options.onStderr('busy')
    await stage.clock.pass(11_999)
    expect(sick.isClosed).toBe(false)
    await stage.clock.pass(1)
    expect(sick.isClosed).toBe(true)
    expect(stage.server('a').status()).toMatchObject({
      state: 'crashed',
      retryInMs: 500,
      lastError: { reason: 'did not answer its health check within 2 s', stderr: ['busy'] },
    })
    stage.behave('a', {})
    await stage.clock.pass(500)
    expect(stage.server('a').status().state).toBe('running')
  })

  test.each([
    [
      'an error',
      async () => ({ error: { code: -32603, message: 'no disk' } }),
      'tool "health" answered "no disk"',
    ],
    [
      'isError',
      async () => ({ result: Buffer.from('{"content":[],"isError":true}') }),
      'tool "health" reported an error',
    ],
    ['a failure', () => Promise.reject(new Error('pipe broken')), 'failed its health check: pipe broken'],
    ['no JSON', async () => ({ result: Buffer.from('{') }), 'failed its health check'],
    ['nothing', () => new Promise<never>(() => undefined), 'did not answer its health check within 2 s'],
  ])('a health tool that answers with %s is a failure', async (_what, request, reason) => {
    stage.behave('a', { request })
    await stage.apply(define('a', { health: tool }))
    await stage.clock.pass(12_000)
    expect(stage.failure('a')?.reason).toContain(reason)
  })

  test('the health tool is called by its name, and its result is enough', async () => {
    const asked: [string, Params][] = []
    stage.behave('a', {
      request: async (method, params) => {
        asked.push([method, params])
        return { result: Buffer.from('{"content":[]}') }
      },
    })
    await stage.apply(define('a', { health: tool }))
    await stage.clock.pass(20_000)
    expect(asked).toEqual(Array(2).fill(['tools/call', { name: 'health', arguments: {} }]))
    expect(stage.server('a').status().state).toBe('running')
  })

  test('a check keeps no lazy server awake', async () => {
    stage.behave('a', { request: async () => ({ result: Buffer.from('{}') }) })
    await stage.apply(define('a', { health: { ...tool, intervalMs: 1000 }, lazy: true, idleStopMs: 5000 }))
    await stage.clock.pass(5000)
    expect(stage.server('a').status().state).toBe('stopped')
  })

  test('a stopped server is asked no more', async () => {
    await stage.apply(define('a', { health: ping }))
    await stage.server('a').stop()
    await settle()
    expect(stage.clock.sleepers()).toEqual([])
  })
})

describe('memory', () => {
  const limited = define('a', { maxMemoryBytes: 100 * 1024 * 1024 })

  test('a server that grows beyond its limit is ended, and says why', async () => {
    stage.behave('a', { pid: 4242 })
    await stage.apply(limited)
    memory = 100 * 1024 * 1024
    await stage.clock.pass(10_000)
    expect(stage.server('a').status().state).toBe('running')
    memory += 1024 * 1024
    await stage.clock.pass(2000)
    expect(stage.latest('a').isClosed).toBe(true)
    expect(stage.server('a').status()).toMatchObject({
      state: 'crashed',
      retryInMs: 500,
      lastError: {
        reason: 'was ended because it used 101 MiB of memory, more than its limit of 100 MiB',
      },
    })
  })

  test('where it cannot be told, nothing is ended', async () => {
    stage.behave('a', { pid: 4242 })
    memory = undefined
    await stage.apply(limited)
    await stage.clock.pass(10_000)
    expect(stage.server('a').status().state).toBe('running')
  })

  test('a look that fails does not break the supervision', async () => {
    stage = superviseTestLinks({ memoryOf: () => Promise.reject(new Error('no /proc')) })
    stage.behave('a', { pid: 4242 })
    await stage.apply(limited)
    await stage.clock.pass(10_000)
    expect(stage.server('a').status().state).toBe('running')
    stage.latest('a').exit()
    await stage.clock.pass(500)
    expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: 1 })
  })
})
