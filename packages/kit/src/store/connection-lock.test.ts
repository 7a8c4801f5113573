import { expect, test } from 'vitest'
import { createConnectionLock } from './connection-lock.ts'

test('who comes first is served first, one at a time', async () => {
  const lock = createConnectionLock(10_000)
  const served: number[] = []
  await lock.acquire()
  const waiting = [1, 2, 3].map(async (number) => {
    await lock.acquire()
    served.push(number)
  })
  for (const one of waiting) {
    lock.release()
    await one
    expect(served).toHaveLength(waiting.indexOf(one) + 1)
  }
  lock.release()
  await lock.acquire()
  expect(served).toEqual([1, 2, 3])
})

test('who has waited too long is let go, and takes no turn from those behind', async () => {
  const lock = createConnectionLock(30)
  await lock.acquire()
  const tooLong = await Promise.allSettled([lock.acquire(), lock.acquire()])
  expect(tooLong.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = lock.acquire()
  lock.release()
  await next
  await expect(lock.acquire()).rejects.toThrow('busy for 30 ms')
  lock.release()
  await lock.acquire()
})
