import { EventEmitter } from 'node:events'
import { createLogger } from '@quire/kit/log'
import { expect, test } from 'vitest'
import { runUntilSignal } from './lifecycle.ts'

const logger = createLogger({ level: 'silent', pretty: false })

test('closes at the first signal, and ends at once at the second', async () => {
  const signals = new EventEmitter()
  const closing = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<number>()
  let finished = false
  const service = {
    close() {
      closing.resolve()
      return new Promise<void>(() => undefined)
    },
  }
  void runUntilSignal(service, logger, signals, asked.resolve).then(() => {
    finished = true
  })
  signals.emit('SIGTERM')
  await closing.promise
  signals.emit('SIGINT')
  expect(await asked.promise).toBe(1)
  expect(finished).toBe(false)
})
