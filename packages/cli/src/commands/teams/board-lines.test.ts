import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { WatchedTask } from './board.ts'
import { boardLines } from './board-lines.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const PAPER = { columns: 60, rows: 20, hasColours: false, now: NOW }

function task(fields: Partial<WatchedTask>): WatchedTask {
  return {
    task_id: 'x',
    title: 'Find three sources',
    status: 'pending',
    assigned_to: null,
    attempts: 0,
    depends_on: [],
    created_at: '2026-01-01T00:00:00Z',
    started_at: null,
    ended_at: null,
    ...fields,
  }
}

function lines(tasks: readonly WatchedTask[], paper: Partial<typeof PAPER> = {}): readonly string[] {
  const team = { team_id: 't', name: 'Writers', status: 'running' } as const
  return boardLines({ team: () => team, tasks: () => tasks }, { ...PAPER, ...paper })
}

test('a line for each task, with status, member, attempt and age', () => {
  expect(
    lines([
      task({ status: 'completed', assigned_to: 'Ada', attempts: 2, ended_at: '2026-01-01T00:00:59Z' }),
      task({ status: 'in_progress', assigned_to: 'Bo', attempts: 1, started_at: '2026-01-01T00:58:55Z' }),
      task({ title: 'Wait' }),
      task({ title: 'Ahead of our clock', created_at: '2026-01-01T02:00:00Z' }),
    ]),
  ).toEqual([
    'Writers is running. 4 tasks: 1 completed, 1 in progress, 2 …',
    'completed    Ada  #2     59s  Find three sources',
    'in_progress  Bo   #1   1m05s  Find three sources',
    'pending      -    #0   1h00m  Wait',
    'pending      -    #0      0s  Ahead of our clock',
  ])
})

test('nothing is wider than the screen, whatever is written in it', () => {
  const titles = [
    '\u{1b}[2J\u{1b}[Hgone',
    '漢字'.repeat(40),
    '🙂'.repeat(40),
    `line\nbreak\u{202e}`,
    'x'.repeat(500),
  ]
  const found = lines(titles.map((title) => task({ title, assigned_to: '漢'.repeat(50) })))
  for (const line of found) {
    expect(line).toMatch(/^[^\p{Cc}\u{202e}]*$/u)
    expect([...line].reduce((width, sign) => width + (sign >= '\u{1100}' ? 2 : 1), 0)).toBeLessThanOrEqual(61)
  }
})

test('where there is no room for all, those under way and those that failed come first', () => {
  const many = [
    ...Array.from({ length: 50 }, (_, index) => task({ title: `done ${index}`, status: 'completed' })),
    task({ title: 'wrong', status: 'failed' }),
    task({ title: 'now', status: 'in_progress' }),
    task({ title: 'later' }),
  ]
  const found = lines(many, { rows: 9 })
  expect(found).toHaveLength(7)
  expect(found.map((line) => line.split('  ').at(-1))).toEqual([
    expect.stringContaining('53 tasks'),
    'done 48',
    'done 49',
    'wrong',
    'now',
    'later',
    '… and 48 more',
  ])
})

test('colours add nothing but colour', () => {
  const tasks = [task({ status: 'failed' }), task({})]
  const painted = lines(tasks, { hasColours: true })
  expect(painted.join()).toContain('\u{1b}[31mfailed')
  expect(painted.map((line) => stripVTControlCharacters(line))).toEqual(lines(tasks))
})
