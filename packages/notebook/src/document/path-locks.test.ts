import { expect, test } from 'vitest'
import { createPathLocks } from './path-locks.ts'

function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: resolve }
}

test('one task at a time runs for a path, in the order of arrival', async () => {
  const locks = createPathLocks()
  const gate = createGate()
  const log: string[] = []
  const task = (name: string) => async () => {
    log.push(`${name} begins`)
    await gate.wait()
    log.push(`${name} ends`)
    return name
  }
  const all = ['a', 'b', 'c'].map((name) => locks.run('x', task(name)))
  const other = locks.run('y', async () => log.push('another path goes on'))
  await other
  expect(log).toEqual(['a begins', 'another path goes on'])
  gate.open()
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
  expect(log.slice(2)).toEqual(['a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('a task that fails lets the next one in', async () => {
  const locks = createPathLocks()
  const failing = locks.run('x', () => Promise.reject(new Error('it broke')))
  const next = locks.run('x', async () => 'done')
  await expect(failing).rejects.toThrow('it broke')
  expect(await next).toBe('done')
})

test('who gives up waiting does not begin, and those behind move up', async () => {
  const locks = createPathLocks()
  const gate = createGate()
  const caller = new AbortController()
  const first = locks.run('x', gate.wait)
  let hasBegun = false
  const second = locks.run('x', async () => (hasBegun = true), caller.signal)
  const third = locks.run('x', async () => 'third')
  caller.abort(new Error('the caller has gone'))
  await expect(second).rejects.toThrow('the caller has gone')
  gate.open()
  await first
  expect(await third).toBe('third')
  expect(hasBegun).toBe(false)
})

test('who comes with an aborted signal is turned away even when the path is free', async () => {
  const locks = createPathLocks()
  const task = async () => 'done'
  await expect(locks.run('x', task, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  expect(await locks.run('x', task)).toBe('done')
})

test('nobody waits for ever', async () => {
  const locks = createPathLocks({ waitMs: 20 })
  const gate = createGate()
  const first = locks.run('x', gate.wait)
  await expect(locks.run('x', async () => 'done')).rejects.toThrow(
    /edits of "x" have not finished within 0\.02 seconds/,
  )
  gate.open()
  await first
  expect(await locks.run('x', async () => 'done')).toBe('done')
})
