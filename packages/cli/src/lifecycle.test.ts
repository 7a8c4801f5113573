import { EventEmitter } from 'node:events'
import { createLogger } from '@quire/kit/log'
import { expect, test } from 'vitest'
import { runUntilSignal } from './lifecycle.ts'

const logger = createLogger({ level: 'silent', pretty: false })

test.each([
  ['the first signal', undefined, 1],
  ['the end of the input, which a client follows with a signal of its own', Promise.resolve(), 2],
])('closes at %s, and ends at once when a person asks again', async (_at, ended, patience) => {
  const signals = new EventEmitter()
  const closing = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<number>()
  const exits: number[] = []
  let finished = false
  const service = {
    close() {
      closing.resolve()
      return new Promise<void>(() => undefined)
    },
  }
  const exit = (code: number) => {
    exits.push(code)
    asked.resolve(code)
  }
  void runUntilSignal(service, logger, signals, exit, ended).then(() => {
    finished = true
  })
  if (ended === undefined) signals.emit('SIGTERM')
  await closing.promise
  for (let sent = 1; sent < patience; sent++) signals.emit('SIGTERM')
  await new Promise(setImmediate)
  expect(exits).toEqual([])
  signals.emit('SIGINT')
  expect(await asked.promise).toBe(1)
  expect(finished).toBe(false)
})
