import type { TeamEvent } from '@quire/teams/contract'
import { expect, test } from 'vitest'
import { toSpans } from './timeline.ts'

const START = Date.parse('2026-11-15T14:00:00.000Z')

function happen(...events: readonly [TeamEvent['event_type'], TeamEvent['data']][]): TeamEvent[] {
  return events.map(([event_type, data], index) => ({
    event_type,
    data,
    seq: index + 1,
    team_id: 'team',
    timestamp: new Date(START + index * 1_000).toISOString(),
  }))
}

const WORK = { task_id: 'a', member: 'Ada', attempt: 1 }

test.each<[string, TeamEvent[], readonly (readonly [string, string, number, number | undefined, string])[]]>([
  ['what lasts has no end', happen(['task_started', WORK]), [['Ada', 'work', 0, undefined, 'lasts']]],
  [
    'a completed task',
    happen(['task_started', WORK], ['task_completed', WORK]),
    [['Ada', 'work', 0, 1, 'completed']],
  ],
  [
    'a failed attempt and the next one',
    happen(['task_started', WORK], ['task_retried', { task_id: 'a' }], ['task_started', WORK]),
    [
      ['Ada', 'work', 0, 1, 'failed'],
      ['Ada', 'work', 2, undefined, 'lasts'],
    ],
  ],
  [
    'a result that the supervisor returns, and then approves',
    happen(
      ['task_started', WORK],
      ['task_review_requested', WORK],
      ['task_review_rejected', WORK],
      ['task_review_requested', WORK],
      ['task_completed', WORK],
    ),
    [
      ['Ada', 'work', 0, 1, 'handed in'],
      ['Sue', 'review', 1, 2, 'returned'],
      ['Ada', 'work', 2, 3, 'handed in'],
      ['Sue', 'review', 3, 4, 'completed'],
    ],
  ],
  [
    'a stop ends all',
    happen(
      ['task_started', WORK],
      ['task_started', { ...WORK, task_id: 'b', member: 'Bob' }],
      ['team_stopped', {}],
    ),
    [
      ['Ada', 'work', 0, 2, 'stopped'],
      ['Bob', 'work', 1, 2, 'stopped'],
    ],
  ],
  [
    'a pause by somebody lets go on',
    happen(['task_started', WORK], ['team_paused', {}], ['task_completed', WORK]),
    [['Ada', 'work', 0, 2, 'completed']],
  ],
  [
    'a spent budget does not',
    happen(['task_started', WORK], ['team_paused', { reason: 'budget' }]),
    [['Ada', 'work', 0, 1, 'stopped']],
  ],
  ['an end whose beginning is not known', happen(['task_completed', WORK]), []],
])('%s', (_name, events, expected) => {
  const seconds = (at: number | undefined) => (at === undefined ? undefined : (at - START) / 1_000)
  const spans = toSpans(events, 'Sue')
  expect(
    spans.map(({ member, kind, from, to, end }) => [member, kind, seconds(from), seconds(to), end]),
  ).toEqual(expected)
})
