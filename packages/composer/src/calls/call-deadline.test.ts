import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CallDeadline, createCallDeadline } from './call-deadline.ts'

const LIMITS = {
  timeoutMs: 100,
  resetOnProgress: true,
  maxTotalMs: 1000,
  inFlight: 1,
  queued: 1,
  breakerFailures: 0,
  breakerOpenMs: 0,
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// Nothing here waits: whatever else lives in this process has no turn to set timers of its own.
test.each<[string, (deadline: CallDeadline) => void]>([
  ['at once', (deadline) => deadline.end()],
  ['twice', (deadline) => [deadline.end(), deadline.end()]],
  ['after progress', (deadline) => [deadline.putOff(), deadline.end()]],
  ['after a question', (deadline) => [deadline.hold()(), deadline.end()]],
  ['before a question is answered', (deadline) => [deadline.hold(), deadline.end()]],
  [
    'and then the question is answered',
    (deadline) => {
      const release = deadline.hold()
      deadline.end()
      release()
    },
  ],
])('a deadline that ends %s leaves no timer behind', (_when, use) => {
  for (const resetOnProgress of [true, false]) {
    const onOver = vi.fn()
    use(createCallDeadline({ ...LIMITS, resetOnProgress }, onOver))
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(1_000_000)
    expect(onOver).not.toHaveBeenCalled()
  }
})
