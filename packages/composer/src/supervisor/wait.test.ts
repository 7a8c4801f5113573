import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createTestClock } from './links.fixture.ts'
import { abortable, createTurns, inTime } from './wait.ts'

test('abortable follows its promise and leaves no listener', async () => {
  const { signal } = new AbortController()
  await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1)
  await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('abortable ends with its signal, before and after', async () => {
  const controller = new AbortController()
  const waiting = abortable(new Promise(() => undefined), controller.signal)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(abortable(Promise.resolve(1), controller.signal)).rejects.toThrow('enough')
})

test('inTime says whether the time was up, and sleeps no longer than needed', async () => {
  const clock = createTestClock()
  await expect(inTime(Promise.resolve(1), 10, clock)).resolves.toEqual({ value: 1 })
  expect(clock.sleepers()).toEqual([])
  const late = inTime(new Promise(() => undefined), 10, clock)
  await clock.pass(10)
  await expect(late).resolves.toBeUndefined()
})

test('turns come one after the other, past failures', async () => {
  const take = createTurns()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = take(async () => {
    await gate.promise
    seen.push('first')
    throw new Error('first failed')
  })
  const second = take(() => seen.push('second'))
  gate.resolve()
  await expect(first).rejects.toThrow('first failed')
  await second
  expect(seen).toEqual(['first', 'second'])
})
