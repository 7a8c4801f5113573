import { expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../store/store.ts'
import { createEventTable } from './event-table.ts'
import { createTails } from './tails.ts'

const READERS = 300

async function setUp() {
  const store = await openStore('sqlite::memory:')
  onTestFinished(() => store.close())
  const table = createEventTable(store, 'test')
  await table.migrate()
  const readAfter = vi.fn(table.readAfter)
  const readHeads = vi.fn(table.readHeads)
  const stop = vi.fn()
  let announce: (stream: string | null) => void = () => expect.unreachable('nobody listens')
  const tails = createTails({
    table: { ...table, readAfter, readHeads },
    logger: undefined,
    listen(onMessage) {
      announce = onMessage
      return stop
    },
  })
  const append = (count: number) =>
    store.transaction((tx) => {
      const row = { stream: 's', type: 't', at: '', data: '1' }
      return table.insert(
        Array.from({ length: count }, () => row),
        's',
        tx,
      )
    })
  return { tails, append, readAfter, readHeads, stop, announce: (stream: string | null) => announce(stream) }
}

test('one query serves all readers of a stream, and the last one to leave stops the listening', async () => {
  const { tails, append, readAfter, readHeads, stop, announce } = await setUp()
  await append(5)
  const ending = new AbortController()
  const counts = Array.from({ length: READERS }, () => 0)
  const reading = counts.map(async (_, index) => {
    const options = { after: undefined, last: undefined, signal: ending.signal }
    for await (const event of tails.subscribe('s', options)) counts[index] = event.seq
  })
  const allHave = (seq: number) =>
    vi.waitFor(() => expect(counts.every((count) => count === seq)).toBe(true), {
      timeout: 30_000,
      interval: 10,
    })
  await allHave(5)
  expect([readAfter.mock.calls.length, readHeads.mock.calls.length]).toStrictEqual([1, 1])
  for (let turn = 0; turn < 10; turn++) {
    await append(1)
    announce('s')
    await allHave(6 + turn)
  }
  expect(readAfter).toHaveBeenCalledTimes(11)
  ending.abort()
  await Promise.all(reading)
  expect(stop).toHaveBeenCalledTimes(1)
})

test('a reader that knows more than its neighbours gets nothing twice', async () => {
  const { tails, append, announce } = await setUp()
  await append(1)
  const neighbour = tails.subscribe('s', { after: undefined, last: undefined, signal: undefined })
  await neighbour.next()
  await append(1)
  const reader = tails.subscribe('s', { after: 2, last: undefined, signal: undefined })
  const next = reader.next()
  expect((await neighbour.next()).value?.seq).toBe(2)
  await append(1)
  announce('s')
  expect((await next).value?.seq).toBe(3)
  await Promise.all([reader.return(undefined), neighbour.return(undefined)])
})

test('"read again" costs one query when nothing has changed', async () => {
  const { tails, append, readAfter, readHeads, announce } = await setUp()
  await append(1)
  const reader = tails.subscribe('s', { after: undefined, last: undefined, signal: undefined })
  expect((await reader.next()).value?.seq).toBe(1)
  readHeads.mockClear()
  readAfter.mockClear()
  announce(null)
  await vi.waitFor(() => expect(readHeads).toHaveBeenCalledTimes(1), 30_000)
  await readHeads.mock.results[0]?.value
  expect(readAfter).not.toHaveBeenCalled()
  await append(1)
  announce(null)
  expect((await reader.next()).value?.seq).toBe(2)
  await reader.return(undefined)
})

test('readers outlast a store that is away for a while, but a new one is told', async () => {
  const { tails, append, readAfter, readHeads, announce } = await setUp()
  await append(1)
  const options = { after: undefined, last: undefined, signal: undefined }
  const reader = tails.subscribe('s', options)
  await reader.next()
  const next = reader.next()
  await append(1)
  readAfter.mockRejectedValueOnce(new Error('away'))
  announce('s')
  expect((await next).value?.seq).toBe(2)
  await reader.return(undefined)
  readHeads.mockRejectedValueOnce(new Error('still away'))
  await expect(tails.subscribe('s', options).next()).rejects.toThrow('still away')
  expect((await tails.subscribe('s', options).next()).value?.seq).toBe(1)
})
