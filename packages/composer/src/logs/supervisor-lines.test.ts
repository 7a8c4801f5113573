import { beforeEach, describe, expect, test } from 'vitest'
import type { SupervisorEvent } from '../supervisor/supervisor.ts'
import { createSupervisorLines } from './supervisor-lines.ts'

const lines: unknown[][] = []
let withServerLines = true
const write = createSupervisorLines({
  book: { write: (...line) => void lines.push(line) },
  withServerLines: () => withServerLines,
})
const failure = { reason: 'ended with exit code 1', exitCode: 1, signal: null, stderr: [], at: '' }

beforeEach(() => {
  lines.length = 0
  withServerLines = true
})

describe('what happens to a server', () => {
  test.each<[SupervisorEvent, unknown[]]>([
    [{ type: 'state', server: 'one', state: 'running' }, ['INFO', 'one', 'running']],
    [
      { type: 'state', server: 'one', state: 'crashed', failure },
      ['ERROR', 'one', 'crashed: ended with exit code 1. It stays down until it is started.'],
    ],
    [
      { type: 'state', server: 'one', state: 'crashed', failure, retryInMs: 557 },
      ['ERROR', 'one', 'crashed: ended with exit code 1. Next try in 557 ms.'],
    ],
    [
      { type: 'state', server: 'one', state: 'crashed' },
      ['ERROR', 'one', 'crashed: no reason is known. It stays down until it is started.'],
    ],
    [
      { type: 'state', server: 'one', state: 'running', start: { tookMs: 1240, failures: 0 } },
      ['INFO', 'one', 'running; its start took 1.2 s'],
    ],
    [
      { type: 'state', server: 'one', state: 'running', start: { tookMs: 40, failures: 1 } },
      ['INFO', 'one', 'running again, after 1 failure; its start took 40 ms'],
    ],
    [
      { type: 'state', server: 'one', state: 'running', start: { tookMs: 40, failures: 3 } },
      ['INFO', 'one', 'running again, after 3 failures; its start took 40 ms'],
    ],
    [{ type: 'state', server: 'one', state: 'stopped' }, ['INFO', 'one', 'stopped']],
    [{ type: 'catalog', server: 'one', kind: 'tools' }, ['DEBUG', 'one', 'offers other tools now']],
    [{ type: 'stderr', server: 'one', line: '[WARN] careful' }, ['WARNING', 'one', '[WARN] careful']],
    [
      { type: 'log', server: 'one', entry: { level: 'alert', logger: 'db', data: 'gone' } },
      ['CRITICAL', 'one', 'db: gone'],
    ],
    [
      { type: 'log', server: 'one', entry: { level: 'debug', data: { a: [1] } } },
      ['DEBUG', 'one', '{"a":[1]}'],
    ],
    [{ type: 'log', server: 'one', entry: { level: '', data: undefined } }, ['INFO', 'one', '']],
  ])('%j is the line %j', (event, line) => {
    write(event)
    expect(lines).toEqual([line])
  })

  test('what it says itself is left out where that is wanted, what happens to it is not', () => {
    withServerLines = false
    write({ type: 'stderr', server: 'one', line: 'x' })
    write({ type: 'log', server: 'one', entry: { level: 'info', data: 'x' } })
    write({ type: 'state', server: 'one', state: 'stopped' })
    expect(lines).toEqual([['INFO', 'one', 'stopped']])
  })

  test('garbage and updates of resources are no lines', () => {
    write({ type: 'garbage', server: 'one' })
    write({ type: 'resource', server: 'one', uri: 'x' })
    expect(lines).toEqual([])
  })
})
