import { getEventListeners } from 'node:events'
import { createRedactor } from '@quire/kit/redact'
import { describe, expect, test } from 'vitest'
import { createLogBook, type LogBookOptions } from './create-log-book.ts'
import type { LogBook, LogFilter } from './log-book.ts'

const parse = (item: Buffer) => JSON.parse(item.toString())

const SECRET = 'a-secret-that-is-known'
const redactor = createRedactor({ secrets: [SECRET] })

/** What is there now, and nothing that comes later. */
async function kept(book: LogBook, history = 1000, filter: LogFilter = {}) {
  const found = []
  const end = new AbortController()
  book.write('CRITICAL', 'end', 'end')
  for await (const line of book.read({ history: history + 1, ...filter }, end.signal)) {
    const item = parse(line)
    if (item.type === 'log' && item.server === 'end') break
    found.push(item)
  }
  return found
}

/** Reads one after the other; undefined at the end. */
function follow(book: LogBook, signal: AbortSignal, filter: LogFilter = {}, history = 0) {
  const reading = book.read({ history, ...filter }, signal)[Symbol.asyncIterator]()
  return async () => {
    const { done, value } = await reading.next()
    return done ? undefined : parse(value)
  }
}

describe('a log book', () => {
  test('keeps the last lines, and counts them all', async () => {
    const book = createLogBook({ redactor, capacity: 3 })
    for (const line of ['a', 'b', 'c', 'd', 'e']) book.write('INFO', 'one', line)
    expect(await kept(book)).toMatchObject([
      { id: 3, message: 'd' },
      { id: 4, message: 'e' },
    ])
  })

  test('gives the newest of those that fit', async () => {
    const book = createLogBook({ redactor })
    for (let index = 0; index < 10; index += 1) book.write(index % 2 ? 'ERROR' : 'DEBUG', 'one', `${index}`)
    book.write('ERROR', 'end', 'of those')
    const end = new AbortController()
    const reading = book.read({ history: 2, level: 'WARNING', server: 'one' }, end.signal)
    const found = []
    for await (const item of reading) {
      found.push(parse(item))
      if (found.length === 2) break
    }
    expect(found).toMatchObject([{ message: '7' }, { message: '9' }])
  })

  test('stamps lines with the time', async () => {
    const book = createLogBook({ redactor, now: () => new Date(0) })
    book.write('INFO', 'one', 'x')
    expect(await kept(book)).toMatchObject([
      { timestamp: '1970-01-01T00:00:00.000Z', type: 'log', level: 'INFO' },
    ])
  })

  test.each([
    [`key is ${SECRET}`, 'key is [redacted]'],
    ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer [redacted]'],
    ['two\nlines', 'two\nlines'],
    ['', ''],
  ])('writes %j as %j', async (line, message) => {
    const book = createLogBook({ redactor })
    book.write('INFO', 'one', line)
    expect(await kept(book)).toMatchObject([{ message }])
  })

  test('cuts a long line, and says so', async () => {
    const book = createLogBook({ redactor, maxLineLength: 100 })
    book.write('INFO', 'one', 'x'.repeat(100_000))
    expect(await kept(book)).toMatchObject([
      { message: expect.stringMatching(/^x{50,100}… \[99900 characters cut\]$/) },
    ])
  })

  describe('tells a reader that does not come how many lines it has lost', () => {
    test.each<[string, LogBookOptions]>([
      ['when there are too many lines', { redactor, capacity: 1_000 }],
      ['when there are too many bytes', { redactor, maxBytes: 100_000, maxLineLength: 1_000 }],
    ])('%s', async (_when, options) => {
      const book = createLogBook(options)
      const end = new AbortController()
      const next = follow(book, end.signal)
      const first = next()
      for (let index = 0; index < 3_000; index += 1) book.write('INFO', 'one', `${index}`.padStart(100))
      const dropped = await first
      expect(dropped).toMatchObject({ type: 'dropped' })
      expect(dropped.count).toBeGreaterThanOrEqual(2_000)
      for (let id = dropped.count; id < 3_000; id += 1) expect(await next()).toMatchObject({ id })
      end.abort()
      expect(await next()).toBeUndefined()
    })

    test('counting those that fit alone', async () => {
      const book = createLogBook({ redactor, capacity: 10 })
      const end = new AbortController()
      const next = follow(book, end.signal, { server: 'one' })
      const first = next()
      for (let index = 0; index < 40; index += 1) book.write('INFO', index % 2 ? 'two' : 'one', 'x')
      expect([await first, await next()]).toMatchObject([{ type: 'dropped', count: 15 }, { id: 30 }])
      end.abort()
    })
  })

  test('keeps a line that is larger than all it may hold, alone', async () => {
    const book = createLogBook({ redactor, maxBytes: 100 })
    for (const line of ['a', 'b'.repeat(500)]) book.write('INFO', 'one', line)
    const end = new AbortController()
    const next = follow(book, end.signal, {}, 10)
    expect(await next()).toMatchObject({ id: 1 })
    end.abort()
  })

  test('gives all readers the same bytes', async () => {
    const book = createLogBook({ redactor })
    book.write('INFO', 'one', 'x')
    const end = new AbortController()
    const [one, two] = await Promise.all(
      [1, 2].map(() => book.read({ history: 1 }, end.signal)[Symbol.asyncIterator]().next()),
    )
    expect(one?.value).toBeInstanceOf(Buffer)
    expect(one?.value).toBe(two?.value)
    end.abort()
  })

  test('ends a reader that is sent away, or comes too late', async () => {
    const book = createLogBook({ redactor })
    const end = new AbortController()
    const reading = book.read({ history: 0 }, end.signal)[Symbol.asyncIterator]()
    const waiting = reading.next()
    end.abort()
    expect((await waiting).done).toBe(true)
    expect(getEventListeners(end.signal, 'abort')).toEqual([])
    book.write('INFO', 'one', 'x')
    const late = book.read({ history: 10 }, AbortSignal.abort())[Symbol.asyncIterator]()
    expect((await late.next()).done).toBe(true)
  })
})
