import { expect, test } from 'vitest'
import type { ConformanceResult } from '../foreign-clients.ts'
import { compareConformance } from './compare.ts'

const REFERENCE = result(['ping', 'tools-list', 'tools-call'], [], ['tasks'], {
  ping: 2,
  'tools-list': 4,
  'tools-call': 2,
  tasks: 1,
})

test('a server is the same as itself', () => {
  const { same, lost, gained } = compareConformance(REFERENCE, REFERENCE)
  expect({ same, lost, gained }).toStrictEqual({
    same: ['ping', 'tasks', 'tools-call', 'tools-list'],
    lost: [],
    gained: [],
  })
})

test.each([
  ['a scenario that fails', result(['ping', 'tools-call'], ['tools-list'], ['tasks'], { 'tools-list': 4 })],
  ['a scenario that did not run', result(['ping', 'tools-call'], [], ['tasks'], {})],
  [
    'a scenario that passes with a check less',
    result(['ping', 'tools-list', 'tools-call'], [], ['tasks'], { 'tools-list': 3 }),
  ],
])('what is lost: %s', (_, subject) => {
  const { lost } = compareConformance(REFERENCE, subject)
  expect(lost.map(({ scenario }) => scenario)).toStrictEqual(['tools-list'])
})

test('what is gained', () => {
  const subject = result(['ping', 'tasks', 'tools-list', 'tools-call'], [], [], {})
  const { lost, gained } = compareConformance(REFERENCE, subject)
  expect(lost).toStrictEqual([])
  expect(gained).toStrictEqual([
    {
      scenario: 'tasks',
      reference: { verdict: 'unscored', passedChecks: 1 },
      subject: { verdict: 'passed', passedChecks: 1 },
    },
  ])
})

function result(
  passed: string[],
  failed: string[],
  unscored: string[],
  checks: Readonly<Record<string, number>>,
): ConformanceResult {
  const counts = { ping: 2, 'tools-list': 4, 'tools-call': 2, tasks: 1, ...checks }
  const lines = [...passed, ...failed, ...unscored].map(
    (name) => `${passed.includes(name) ? '✓' : '✗'} ${name}: ${Reflect.get(counts, name)} passed, 0 failed`,
  )
  return { passed, failed, unscored, output: lines.join('\n') }
}
