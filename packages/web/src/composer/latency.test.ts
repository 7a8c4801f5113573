import { expect, test } from 'vitest'
import { meanBetween, mostOf, NO_DURATIONS, readDurations } from './latency.ts'

function series(tool: string, counts: readonly [number, number, number], sum: number): string {
  const name = 'mcp_tool_invocation_duration_seconds'
  const labels = `service="composer",tool_id="${tool}"`
  return `${name}_bucket{le="0.01",${labels}} ${counts[0]}
${name}_bucket{le="0.1",${labels}} ${counts[1]}
${name}_bucket{le="+Inf",${labels}} ${counts[2]}
${name}_sum{${labels}} ${sum}
${name}_count{${labels}} ${counts[2]}
`
}

test('tools are added up', () => {
  const text = `# TYPE x histogram\nother_total{le="1"} 3\n${series('a:b', [8, 10, 10], 0.2)}${series('c:d', [9, 10, 10], 0.1)}`
  const durations = readDurations(text)
  expect(durations).toMatchObject({ calls: 20, seconds: expect.closeTo(0.3) })
  expect(meanBetween(NO_DURATIONS, durations)).toBeCloseTo(15)
  expect(mostOf(durations)).toBe(100)
})

test('what is longer than all that is counted is said to be so', () => {
  expect(mostOf(readDurations(series('a:b', [0, 0, 4], 60)))).toBe(Number.POSITIVE_INFINITY)
})

test.each(['', 'no metrics at all', series('a:b', [0, 0, 0], 0), series('le="9', [0, 0, 0], 0)])(
  'without calls there is no mean: %j',
  (text) => {
    expect(meanBetween(NO_DURATIONS, readDurations(text))).toBeNull()
  },
)

test('the mean is that of the calls between two looks', () => {
  const before = readDurations(series('a:b', [1, 2, 2], 0.25))
  const now = readDurations(series('a:b', [1, 4, 4], 0.75))
  expect(meanBetween(before, now)).toBe(250)
  expect(meanBetween(now, now)).toBeNull()
  expect(meanBetween(now, before)).toBeNull()
})
