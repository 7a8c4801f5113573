import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStore, type Store } from '../store/store.ts'
import { createEventLog, type EventLog, type LoggedEvent, type SubscribeOptions } from './event-log.ts'

const fixture = new URL('./append.fixture.ts', import.meta.url).pathname
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const counted = (count: number) => range(1, count).map((number) => ({ type: 'counted', data: { number } }))
const collect = async (events: AsyncIterable<LoggedEvent>) => {
  const collected: LoggedEvent[] = []
  for await (const event of events) collected.push(event)
  return collected
}
const seqs = (events: readonly LoggedEvent[]) => events.map(({ seq }) => seq)

describe.each(testDatabases)('an event log on $kind', ({ kind, createDatabase }) => {
  let url: string
  let store: Store
  let log: EventLog
  let drop: () => Promise<void>
  let streams = 0

  beforeAll(async () => {
    ;({ url, drop } = await createDatabase())
    store = await openStore(url)
    log = await createEventLog(store, { name: 'shared', now: () => new Date(1_800_000_000_000) })
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  const newStream = () => `stream ${++streams}`

  /** Reads in the background; `seen` grows. */
  function follow(stream: string, options?: SubscribeOptions, on = log) {
    const ending = new AbortController()
    const seen: LoggedEvent[] = []
    const ended = (async () => {
      for await (const event of on.subscribe(stream, { signal: ending.signal, ...options })) seen.push(event)
    })()
    onTestFinished(async () => {
      ending.abort()
      await ended
    })
    const hasSeen = (expected: number[]) =>
      vi.waitFor(() => expect(seqs(seen)).toStrictEqual(expected), { timeout: 30_000, interval: 10 })
    return { seen, ended, hasSeen }
  }

  test('numbers the events of each stream from 1 and gives them back', async () => {
    const [one, other] = [newStream(), newStream()]
    const first = await log.append(one, [{ type: 'created', data: { text: 'a\0ü', list: [1, null] } }])
    await log.append(other, counted(2))
    await log.append(one, [{ type: 'changed', data: null }])
    expect(first).toStrictEqual([
      {
        stream: one,
        seq: 1,
        type: 'created',
        at: '2027-01-15T08:00:00.000Z',
        data: { text: 'a\0ü', list: [1, null] },
      },
    ])
    expect(await log.after(one, 0, 10)).toStrictEqual([
      ...first,
      { stream: one, seq: 2, type: 'changed', at: '2027-01-15T08:00:00.000Z', data: null },
    ])
    expect(seqs(await log.last(other, 10))).toStrictEqual([1, 2])
  })

  test('appends nothing, and more at once than a statement can bind', async () => {
    const stream = newStream()
    expect(await log.append(stream, [])).toStrictEqual([])
    expect(seqs(await log.append(stream, counted(2_500)))).toStrictEqual(range(1, 2_500))
    expect(seqs(await log.after(stream, 2_490, 5))).toStrictEqual(range(2_491, 2_495))
    expect(seqs(await log.last(stream, 3))).toStrictEqual(range(2_498, 2_500))
    expect(await log.last(stream, 0)).toStrictEqual([])
  })

  test('leaves no hole where a transaction was undone', async () => {
    const stream = newStream()
    const follower = follow(stream)
    await log.append(stream, counted(1))
    const undone = store.transaction(async (tx) => {
      await log.append(stream, counted(3), tx)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await store.transaction((tx) => log.append(stream, counted(2), tx))
    await follower.hasSeen([1, 2, 3])
  })

  test('stays dense and in order under writers in several processes, for whoever watches', async () => {
    const stream = newStream()
    const follower = follow(stream)
    const write = () =>
      promisify(execFile)(process.execPath, [fixture, url, stream, '60'], { timeout: 30_000 })
    await Promise.all([write(), write(), write()])
    await follower.hasSeen(range(1, 120))
    expect(seqs(await log.last(stream, 1_000))).toStrictEqual(range(1, 120))
  })

  test.each([
    [undefined, range(1, 8)],
    [{ after: 0 }, range(1, 8)],
    [{ after: 3 }, range(4, 8)],
    [{ after: 5 }, range(6, 8)],
    [{ last: 2 }, range(4, 8)],
    [{ last: 99 }, range(1, 8)],
  ])('replays %o of five and goes on live', async (options, expected) => {
    const stream = newStream()
    await log.append(stream, counted(5))
    const follower = follow(stream, options)
    await follower.hasSeen(expected.filter((seq) => seq <= 5))
    await log.append(stream, counted(2))
    await log.append(stream, counted(1))
    await follower.hasSeen(expected)
  })

  test.each([{ last: 0 }, { after: 99 }])(
    'replays nothing for %o and begins with what is to come',
    async (options) => {
      const stream = newStream()
      await log.append(stream, counted(5))
      const follower = follow(stream, options)
      await vi.waitFor(async () => {
        await log.append(stream, counted(1))
        expect(follower.seen).not.toHaveLength(0)
      }, 30_000)
      const [last] = await log.append(stream, counted(1))
      const first = follower.seen[0]?.seq ?? 0
      expect(first).toBeGreaterThan(5)
      await follower.hasSeen(range(first, last?.seq ?? 0))
    },
  )

  test('misses nothing and repeats nothing, whenever a reader begins', async () => {
    const stream = newStream()
    const followers: ReturnType<typeof follow>[] = []
    for (let turn = 0; turn < 60; turn++) {
      const appended = log.append(stream, counted(1))
      if (turn % 3 === 0) followers.push(follow(stream, { after: Math.floor(turn / 2) }))
      if (turn % 2 === 0) await appended
    }
    await vi.waitFor(async () => expect(await log.last(stream, 100)).toHaveLength(60), 30_000)
    for (const [index, follower] of followers.entries())
      await follower.hasSeen(range(Math.floor((index * 3) / 2) + 1, 60))
  })

  test('a reader of another process sees what is written here', async () => {
    const stream = newStream()
    const elsewhere = await openStore(url)
    onTestFinished(() => elsewhere.close())
    const follower = follow(stream, {}, await createEventLog(elsewhere, { name: 'shared' }))
    for (let turn = 0; turn < 5; turn++) await log.append(stream, counted(2))
    await follower.hasSeen(range(1, 10))
  })

  test('a reader that falls behind gets everything', async () => {
    const stream = newStream()
    const reader = log.subscribe(stream)[Symbol.asyncIterator]()
    await log.append(stream, counted(1))
    const read = [(await reader.next()).value]
    for (let turn = 0; turn < 8; turn++) await log.append(stream, counted(100))
    while (read.length < 801) read.push((await reader.next()).value)
    await reader.return?.()
    expect(read.map((event) => event?.seq)).toStrictEqual(range(1, 801))
  })

  test('removing a stream ends its readers and starts its numbers again', async () => {
    const stream = newStream()
    await log.append(stream, counted(3))
    const follower = follow(stream)
    await follower.hasSeen([1, 2, 3])
    await log.remove(stream)
    await follower.ended
    expect(await log.last(stream, 10)).toStrictEqual([])
    const successor = follow(stream)
    await log.append(stream, counted(1))
    await successor.hasSeen([1])
  })

  test('the signal ends a reader that waits, and one that has not begun', async () => {
    const stream = newStream()
    const ending = new AbortController()
    const waiting = collect(log.subscribe(stream, { signal: ending.signal }))
    await log.append(newStream(), counted(1))
    ending.abort()
    expect(await waiting).toStrictEqual([])
    expect(await collect(log.subscribe(stream, { signal: ending.signal }))).toStrictEqual([])
  })

  test.each(['', 'x'.repeat(501)])('refuses %j as a stream', async (stream) => {
    await expect(log.append(stream, counted(1))).rejects.toThrow('1 to 500')
  })

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])(
    'refuses %d as a number',
    async (number) => {
      await expect(log.last('s', number)).rejects.toThrow(RangeError)
      await expect(log.after('s', number, 1)).rejects.toThrow(RangeError)
      await expect(log.after('s', 1, number)).rejects.toThrow(RangeError)
      expect(() => log.subscribe('s', { after: number })).toThrow(RangeError)
      expect(() => log.subscribe('s', { last: number })).toThrow(RangeError)
    },
  )

  if (kind === 'postgres')
    test('a reader catches up when its connections were lost', async () => {
      const stream = newStream()
      const elsewhere = await openStore(url)
      onTestFinished(() => elsewhere.close())
      const follower = follow(stream, {}, await createEventLog(elsewhere, { name: 'shared' }))
      await log.append(stream, counted(1))
      await follower.hasSeen([1])
      await store.transaction(async (tx) => {
        await log.append(stream, counted(1), tx)
        await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
      `.execute(tx.db)
      })
      await follower.hasSeen([1, 2])
    })
})
