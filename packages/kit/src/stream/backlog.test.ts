import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createBacklog, SlowReaderError } from './backlog.ts'

type Item = number | { dropped: number }
const onDropped = (count: number): Item => ({ dropped: count })

async function readAll<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const items: Value[] = []
  for await (const item of source) items.push(item)
  return items
}

describe('order and end', () => {
  test('what is pushed before and after the reader came is read in order', async () => {
    const backlog = createBacklog<Item>({ maxItems: 10, policy: 'drop-oldest', onDropped })
    backlog.push(1)
    const reading = readAll(backlog)
    backlog.push(2)
    await Promise.resolve()
    backlog.push(3)
    backlog.end()
    expect(backlog.push(4)).toBe(false)
    expect(await reading).toEqual([1, 2, 3])
  })

  test('an error of the producer comes after what it had pushed', async () => {
    const backlog = createBacklog<Item>({ maxItems: 10, policy: 'fail' })
    backlog.push(1)
    backlog.end(new Error('producer failed'))
    const seen: Item[] = []
    const reading = (async () => {
      for await (const item of backlog) seen.push(item)
    })()
    await expect(reading).rejects.toThrow('producer failed')
    expect(seen).toEqual([1])
  })

  test('a reader that leaves is noticed by the producer', async () => {
    const backlog = createBacklog<Item>({ maxItems: 10, policy: 'fail' })
    backlog.push(1)
    backlog.push(2)
    for await (const _item of backlog) break
    expect(backlog.push(3)).toBe(false)
    expect(backlog.items()).toBe(0)
  })

  test('return() wakes a reader that waits', async () => {
    const backlog = createBacklog<Item>({ maxItems: 10, policy: 'fail' })
    const iterator = backlog[Symbol.asyncIterator]()
    const waiting = iterator.next()
    await iterator.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  test('there is one reader', () => {
    const backlog = createBacklog<Item>({ maxItems: 1, policy: 'fail' })
    backlog[Symbol.asyncIterator]()
    expect(() => backlog[Symbol.asyncIterator]()).toThrow('one reader')
  })

  test.each([{}, { maxBytes: 10 }, { sizeOf: () => 1 }])(
    'a backlog without a bound (%j) is refused',
    (bounds) => {
      expect(() => createBacklog<Item>({ ...bounds, policy: 'fail' })).toThrow('needs a bound')
    },
  )
})

describe('drop-oldest', () => {
  test('the reader is told how many are missing, in the place where they are missing', async () => {
    const backlog = createBacklog<Item>({ maxItems: 3, policy: 'drop-oldest', onDropped })
    const iterator = backlog[Symbol.asyncIterator]()
    backlog.push(0)
    expect((await iterator.next()).value).toBe(0)
    for (let item = 1; item <= 10; item += 1) expect(backlog.push(item)).toBe(true)
    expect(backlog.items()).toBe(3)
    const next = async () => (await iterator.next()).value
    expect([await next(), await next()]).toEqual([{ dropped: 7 }, 8])
    backlog.push(11)
    backlog.push(12)
    backlog.end()
    expect([await next(), await next(), await next(), await next()]).toEqual([{ dropped: 1 }, 10, 11, 12])
    expect((await iterator.next()).done).toBe(true)
  })

  test('bytes are bounded too, and one item beyond the bound is dropped itself', async () => {
    const sizeOf = (item: string) => item.length
    const tell = (count: number) => `dropped ${count}`
    const backlog = createBacklog<string>({ maxBytes: 10, sizeOf, policy: 'drop-oldest', onDropped: tell })
    backlog.push('aaaa')
    backlog.push('bbbb')
    backlog.push('cccc')
    expect(backlog.bytes()).toBe(8)
    backlog.push('x'.repeat(11))
    expect(backlog.bytes()).toBe(0)
    backlog.end()
    expect(await readAll(backlog)).toEqual(['dropped 4'])
  })

  test('every item is either read or counted', async () => {
    const backlog = createBacklog<Item>({ maxItems: 7, policy: 'drop-oldest', onDropped })
    const reading = readAll(backlog)
    for (let item = 0; item < 10_000; item += 1) {
      backlog.push(item)
      if (item % 13 === 0) await Promise.resolve()
    }
    backlog.end()
    let expected = 0
    for (const item of await reading) {
      if (typeof item === 'number') expect(item).toBe(expected++)
      else expected += item.dropped
    }
    expect(expected).toBe(10_000)
  })
})

describe('fail', () => {
  test('an overflow lets go of what was held, is told at once and thrown to the reader', async () => {
    const told: unknown[] = []
    const backlog = createBacklog<Item>({
      maxItems: 2,
      policy: 'fail',
      onOverflow: (error) => told.push(error),
    })
    expect([backlog.push(1), backlog.push(2), backlog.push(3), backlog.push(4)]).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(backlog.items()).toBe(0)
    expect(told).toEqual([expect.any(SlowReaderError)])
    await expect(readAll(backlog)).rejects.toThrow('The reader is too slow: 3 items')
  })
})

describe('abort', () => {
  test('ends a reader that waits, and leaves no listener', async () => {
    const aborter = new AbortController()
    const backlog = createBacklog<Item>({ maxItems: 2, policy: 'fail', signal: aborter.signal })
    const reading = readAll(backlog)
    aborter.abort()
    expect(await reading).toEqual([])
    expect(backlog.push(1)).toBe(false)
    expect(getEventListeners(aborter.signal, 'abort')).toEqual([])
  })

  test('before the start is the same as at once', async () => {
    const backlog = createBacklog<Item>({ maxItems: 2, policy: 'fail', signal: AbortSignal.abort() })
    expect(backlog.push(1)).toBe(false)
    expect(await readAll(backlog)).toEqual([])
  })

  test('a stream that ended by itself leaves no listener either', async () => {
    const aborter = new AbortController()
    for (let round = 0; round < 20; round += 1) {
      const backlog = createBacklog<Item>({ maxItems: 2, policy: 'fail', signal: aborter.signal })
      backlog.push(1)
      if (round % 2) backlog.end()
      for await (const _item of backlog) break
    }
    expect(getEventListeners(aborter.signal, 'abort')).toEqual([])
  })
})
