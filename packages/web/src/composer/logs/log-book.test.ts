import { expect, test } from 'vitest'
import { createLogBook, type LogBookOptions } from './log-book.ts'

const EVERYTHING = { server: '', level: '', text: '' } as const

function open(options: Partial<LogBookOptions> = {}) {
  const planned: (() => void)[] = []
  const book = createLogBook({ schedule: (work) => void planned.push(work), now: () => 0, ...options })
  return {
    book,
    /** Frames until nothing is left to do; says how many. */
    settle(): number {
      let frames = 0
      for (let work = planned.shift(); work; work = planned.shift(), frames += 1) work()
      return frames
    },
    messages: () => book.view().shown.map(({ message }) => message),
  }
}

function line(id: number, message = `line ${id}`, more: object = {}) {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + id).toISOString()
  return { type: 'log', id, timestamp, level: 'INFO', server: 'one', message, ...more }
}

test('many lines are one frame', () => {
  const { book, settle, messages } = open()
  for (let id = 0; id < 500; id += 1) book.receive(line(id))
  expect(messages()).toEqual([])
  expect(settle()).toBe(1)
  expect(book.view()).toMatchObject({ kept: 500, counts: { INFO: 500 }, servers: ['one'] })
})

test('it keeps the newest, and as many as it may', () => {
  const { book, settle, messages } = open({ capacity: 100 })
  for (let id = 0; id < 1_000; id += 1) {
    book.receive(line(id))
    if (id % 70 === 0) settle()
    expect(book.view().shown.length).toBeLessThanOrEqual(105)
  }
  settle()
  expect(book.view()).toMatchObject({ kept: 100, counts: { INFO: 100 } })
  expect([messages()[0], messages().at(-1)]).toEqual(['line 900', 'line 999'])
})

test('long lines are bounded by their characters', () => {
  const { book, settle } = open({ maxCharacters: 10_000 })
  for (let id = 0; id < 100; id += 1) book.receive(line(id, 'x'.repeat(1_000)))
  settle()
  expect(book.view().kept).toBe(10)
})

test('a filter looks at all that is kept, in slices', () => {
  let time = 0
  const { book, settle, messages } = open({ now: () => (time += 10) })
  for (let id = 0; id < 2_000; id += 1)
    book.receive(line(id, id === 7 ? 'A Needle (really?)' : 'hay', id % 2 ? { level: 'ERROR' } : {}))
  settle()
  book.filter({ ...EVERYTHING, text: 'needle (REALLY?)' })
  expect(settle()).toBeGreaterThan(3)
  expect(messages()).toEqual(['A Needle (really?)'])
  book.filter({ ...EVERYTHING, level: 'WARNING' })
  settle()
  expect(messages()).toHaveLength(1_000)
  book.filter({ ...EVERYTHING, server: 'two' })
  settle()
  expect(messages()).toEqual([])
})

test('what is paused stands still, and catches up', () => {
  const { book, settle, messages } = open({ capacity: 10 })
  for (let id = 0; id < 5; id += 1) book.receive(line(id))
  settle()
  book.pause(true)
  for (let id = 5; id < 50; id += 1) book.receive(line(id))
  settle()
  expect(messages()).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4'])
  expect(book.view()).toMatchObject({ held: 45, isPaused: true })
  book.pause(false)
  settle()
  expect(messages()).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index + 40}`))
})

test('what was lost is said where it was lost', () => {
  const { book, settle, messages } = open()
  book.receive(line(1))
  book.receive({ type: 'dropped', count: 12 })
  book.receive(line(14))
  settle()
  expect(messages()).toEqual(['line 1', expect.stringContaining('12 lines were dropped'), 'line 14'])
})

test.each([
  ['what is known is not repeated', [line(2), line(3), line(4)], ['line 4']],
  ['a gap is said', [line(9)], [expect.stringContaining('5 lines came'), 'line 9']],
  [
    'another process counts anew',
    [
      line(0, 'new', { timestamp: '2030-01-01T00:00:00.000Z' }),
      line(1, 'newer', { timestamp: '2030-01-01T00:00:01.000Z' }),
    ],
    [expect.stringContaining('started again'), 'new', 'newer'],
  ],
])('after a new connection %s', (_name, later, expected) => {
  const { book, settle, messages } = open()
  for (const id of [1, 2, 3]) book.receive(line(id))
  book.reconnect()
  for (const message of later) book.receive(message)
  settle()
  expect(messages().slice(3)).toEqual(expected)
})

test.each([undefined, null, 1, 'text', [], {}, { type: 'other' }])('%j is no line', (message) => {
  const { book, settle } = open()
  book.receive(message)
  settle()
  expect(book.view().kept).toBe(0)
})
