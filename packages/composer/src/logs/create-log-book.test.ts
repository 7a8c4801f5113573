import { getEventListeners } from 'node:events'
import { createRedactor } from '@quire/kit/redact'
import { describe, expect, test } from 'vitest'
import { createLogBook } from './create-log-book.ts'
import type { LogBook, LogFilter } from './log-book.ts'

const SECRET = 'a-secret-that-is-known'
const redactor = createRedactor({ secrets: [SECRET] })

/** What is there now, and nothing that comes later. */
async function kept(book: LogBook, history = 1000, filter: LogFilter = {}) {
  const found = []
  const end = new AbortController()
  book.write('CRITICAL', 'end', 'end')
  for await (const item of book.read({ history: history + 1, ...filter }, end.signal)) {
    if (item.type === 'log' && item.server === 'end') break
    found.push(item)
  }
  return found
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
      found.push(item)
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

  test('tells a reader that does not come how many lines it has lost', async () => {
    const book = createLogBook({ redactor })
    const end = new AbortController()
    const reading = book.read({ history: 0 }, end.signal)[Symbol.asyncIterator]()
    const first = reading.next()
    for (let index = 0; index < 6_001; index += 1) book.write('INFO', 'one', `${index}`)
    expect((await first).value).toMatchObject({ id: 0 })
    expect((await reading.next()).value).toEqual({ type: 'dropped', count: 1_000 })
    expect((await reading.next()).value).toMatchObject({ id: 1_001 })
    end.abort()
    expect((await reading.next()).done).toBe(true)
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
