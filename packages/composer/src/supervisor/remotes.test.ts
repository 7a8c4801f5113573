import { afterEach, expect, test } from 'vitest'
import { closeStage, defineRemote, startFault, superviseTestLinks } from './links.fixture.ts'

let stage = superviseTestLinks()
afterEach(async () => {
  await closeStage(stage)
  stage = superviseTestLinks()
})

const away = () => Promise.reject(startFault('could not be reached', { exitCode: null }))

test('a remote that is away is tried without end, visibly, and used once it is back', async () => {
  stage.behave('a', { open: away })
  await stage.apply(defineRemote('a'))
  await stage.clock.pass(3_600_000)
  expect(stage.attempts()).toBeGreaterThan(100)
  const { state, retryInMs } = stage.server('a').status()
  expect(state).toBe('crashed')
  expect(retryInMs).toBeLessThanOrEqual(30_000)
  stage.behave('a', {})
  await stage.clock.pass(retryInMs ?? 0)
  expect(stage.server('a').status().state).toBe('running')
})

test('a remote that fails its health check again and again is connected again and again', async () => {
  const health = { method: 'ping', tool: undefined, intervalMs: 1000, timeoutMs: 500 } as const
  stage.behave('a', { ping: () => Promise.reject(new Error('gone')) })
  await stage.apply(defineRemote('a', { health }))
  await stage.clock.pass(600_000)
  expect(stage.links.length).toBeGreaterThan(15)
  stage.behave('a', {})
  await stage.clock.pass(32_000)
  expect(stage.server('a').status().state).toBe('running')
})

test('a remote with a limit of its own keeps to it', async () => {
  stage.behave('a', { open: away })
  const restart = { policy: 'on-failure', maxRestarts: 2, delayMs: undefined } as const
  await stage.apply(defineRemote('a', { restart }))
  await stage.clock.pass(3_600_000)
  expect(stage.attempts()).toBe(3)
  expect(stage.server('a').status().retryInMs).toBeNull()
})

test('the program of a remote has the limit of all processes', async () => {
  stage.behave('a', { open: away })
  await stage.apply(
    defineRemote('a', { program: { command: ['/bin/true'], env: {}, workingDir: undefined } }),
  )
  await stage.clock.pass(3_600_000)
  expect(stage.attempts()).toBe(5)
})
