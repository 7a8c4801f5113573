import { createLogger } from '@quire/kit/log'
import { afterEach, expect, test } from 'vitest'
import type { HealthSettings } from '../server-definition.ts'
import { closeStage, define, type Stage, superviseTestLinks } from './links.fixture.ts'

const health: HealthSettings = { method: 'tool', tool: 'pay', intervalMs: 1000, timeoutMs: 500 }
let stage: Stage
afterEach(() => closeStage(stage))

test('a tool that may not be called is no health check: the server is pinged, and that is told once', async () => {
  const asked: string[] = []
  const lines: string[] = []
  let isBlocked = false
  stage = superviseTestLinks({
    mayCall: (server, tool) => !(isBlocked && server === 'a' && tool === 'pay'),
    logger: createLogger({
      level: 'warn',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    }),
  })
  stage.behave('a', {
    request: async () => {
      asked.push('tool')
      return { result: Buffer.from('{}') }
    },
    ping: async () => {
      asked.push('ping')
    },
  })
  await stage.apply(define('a', { health }))
  await stage.clock.pass(2000)
  isBlocked = true
  await stage.clock.pass(3000)
  isBlocked = false
  await stage.clock.pass(1000)
  expect(asked).toEqual(['tool', 'tool', 'ping', 'ping', 'ping', 'tool'])
  expect(lines.filter((line) => line.includes('is blocked'))).toHaveLength(1)
  expect(stage.server('a').status()).toMatchObject({ state: 'running', restartCount: 0 })
})

test('a server that does not answer the ping instead has failed', async () => {
  stage = superviseTestLinks({ mayCall: () => false })
  stage.behave('a', { ping: () => new Promise(() => undefined) })
  await stage.apply(define('a', { health }))
  await stage.clock.pass(1500)
  expect(stage.failure('a')?.reason).toContain('did not answer its health check')
})
