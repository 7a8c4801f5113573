import { expect, test, vi } from 'vitest'
import { createCallGate } from './call-gate.ts'

const never = () => new Promise<unknown>(() => undefined)

test('the first call of a tool waits for a person, later ones do not', async () => {
  const gate = createCallGate()
  const work = vi.fn(async () => 'done')
  const first = gate.run('look', work)
  await Promise.resolve()
  expect(work).not.toHaveBeenCalled()
  expect(gate.asked()).toBe('look')
  gate.decide('look', true)
  await expect(first).resolves.toBe('done')
  expect(gate.asked()).toBeUndefined()
  await expect(gate.run('look', work)).resolves.toBe('done')
  void gate.run('delete', work).catch(() => 'it is never decided')
  expect(gate.asked()).toBe('delete')
  expect(work).toHaveBeenCalledTimes(2)
})

test('what a person refused is not asked again', async () => {
  const gate = createCallGate()
  const first = gate.run('look', never)
  gate.decide('look', false)
  await expect(first).rejects.toThrow('refused')
  await expect(gate.run('look', never)).rejects.toThrow('refused')
  expect(gate.asked()).toBeUndefined()
})

test('four calls are in flight, twenty wait, and others are refused', async () => {
  const gate = createCallGate()
  const ends: (() => void)[] = []
  const work = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)))
  const calls = Array.from({ length: 20 }, () => gate.run('look', work))
  await expect(gate.run('look', work)).rejects.toThrow('Too many')
  gate.decide('look', true)
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(4), 30_000)
  ends[0]?.()
  await calls[0]
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(5), 30_000)
  const left = Promise.allSettled(calls.slice(5))
  gate.clear()
  expect((await left).every(({ status }) => status === 'rejected')).toBe(true)
})

test.each(['', 'two words', 'a\u202eb', 'x'.repeat(257)])('%j is no name to decide about', async (name) => {
  const gate = createCallGate()
  await expect(gate.run(name, never)).rejects.toThrow('not the name')
  expect(gate.asked()).toBeUndefined()
})
