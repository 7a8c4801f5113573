import { expect, test } from 'vitest'
import { createProcessLoad } from './process-load.ts'

function burn(): void {
  const { user } = process.cpuUsage()
  while (process.cpuUsage().user - user < 20_000);
}

test('tells the load since the last look, and not that of a few milliseconds', () => {
  let time = 0
  const read = createProcessLoad(() => time)
  burn()
  time = 499
  expect(read().cpuPercent).toBe(0)
  time = 1_000
  const busy = read().cpuPercent
  expect(busy).toBeGreaterThanOrEqual(2)
  time = 1_200
  expect(read().cpuPercent).toBe(busy)
  time = 1_000_000
  expect(read().cpuPercent).toBeLessThan(busy)
})

test('memory is a share of what may be used', () => {
  const { memoryPercent } = createProcessLoad()()
  expect(memoryPercent).toBeGreaterThan(0)
  expect(memoryPercent).toBeLessThanOrEqual(100)
})
