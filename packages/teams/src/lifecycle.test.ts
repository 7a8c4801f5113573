import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { LIFECYCLE, nextStatus, OPERATIONS } from './lifecycle.ts'
import { TEAM_STATUSES } from './team.ts'

const ALLOWED = [
  ['draft', 'start', 'running'],
  ['draft', 'delete', 'gone'],
  ['running', 'stop', 'stopped'],
  ['running', 'pause', 'paused'],
  ['paused', 'stop', 'stopped'],
  ['paused', 'resume', 'running'],
  ['paused', 'delete', 'gone'],
  ['stopped', 'start', 'running'],
  ['stopped', 'delete', 'gone'],
] as const

const pairs = TEAM_STATUSES.flatMap((status) => OPERATIONS.map((operation) => ({ status, operation })))

test.each(pairs)('$operation of a team that is $status', ({ status, operation }) => {
  verifies('TM-ERR-3')
  const next = ALLOWED.find(([from, by]) => from === status && by === operation)?.[2]
  if (next !== undefined) expect(nextStatus(status, operation)).toBe(next)
  else
    expect(() => nextStatus(status, operation)).toThrow(new RegExp(`${status} cannot be .* can do now: \\w+`))
})

test('the table cannot be changed', () => {
  expect([LIFECYCLE, ...Object.values(LIFECYCLE)].every(Object.isFrozen)).toBe(true)
})
