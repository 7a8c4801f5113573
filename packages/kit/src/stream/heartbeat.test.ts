import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHeartbeat } from './heartbeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('beats once per interval while nothing else happens', () => {
  const heartbeat = createHeartbeat({ intervalMs: 15_000 })
  const beat = vi.fn()
  heartbeat.add(beat)
  vi.advanceTimersByTime(14_000)
  expect(beat).toHaveBeenCalledTimes(0)
  vi.advanceTimersByTime(1_000)
  expect(beat).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(30_000)
  expect(beat).toHaveBeenCalledTimes(3)
})

test('a touch puts the next beat off', () => {
  const heartbeat = createHeartbeat({ intervalMs: 15_000 })
  const beat = vi.fn()
  const beating = heartbeat.add(beat)
  for (let second = 0; second < 60; second += 10) {
    vi.advanceTimersByTime(10_000)
    heartbeat.touch(beating)
  }
  expect(beat).not.toHaveBeenCalled()
  vi.advanceTimersByTime(16_000)
  expect(beat).toHaveBeenCalledTimes(1)
})

test('a thousand share one timer, and the last to go stops it', () => {
  const heartbeat = createHeartbeat({ intervalMs: 15_000 })
  const all = Array.from({ length: 1_000 }, () => heartbeat.add(() => {}))
  expect(vi.getTimerCount()).toBe(1)
  for (const beating of all.splice(1)) heartbeat.remove(beating)
  expect(vi.getTimerCount()).toBe(1)
  for (const beating of all) heartbeat.remove(beating)
  expect(vi.getTimerCount()).toBe(0)
  expect(heartbeat.size()).toBe(0)
  heartbeat.add(() => {})
  expect(vi.getTimerCount()).toBe(1)
})

test('one that leaves during a beat does not disturb the others', () => {
  const heartbeat = createHeartbeat({ intervalMs: 1_500 })
  const beat = vi.fn()
  const leaving = heartbeat.add(() => heartbeat.remove(leaving))
  heartbeat.add(beat)
  vi.advanceTimersByTime(3_000)
  expect(beat).toHaveBeenCalledTimes(2)
  expect(heartbeat.size()).toBe(1)
})
