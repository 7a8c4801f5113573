import { describe, expect, test } from 'vitest'
import { createPins } from './pins.ts'

const fill = (pins: ReturnType<typeof createPins>, server: string, count: number, pinned: boolean) =>
  Array.from({ length: count }, (_, index) => pins.remember(`${server}:${index}`, 'h', pinned))
const idsOf = (pins: ReturnType<typeof createPins>) => [...pins.entries()].map(([id]) => id)

test('a server that is not pinned loses its own oldest, and nobody else any', () => {
  const pins = createPins({ maxOfServer: 3 })
  fill(pins, 'quiet', 2, false)
  expect(fill(pins, 'loud', 1_000, false)).not.toContain(false)
  expect(idsOf(pins)).toEqual(['quiet:0', 'quiet:1', 'loud:997', 'loud:998', 'loud:999'])
})

test('a pinned server loses nothing: what is too much is not remembered', () => {
  const pins = createPins({ maxOfServer: 3 })
  expect(fill(pins, 'one', 5, true)).toEqual([true, true, true, false, false])
  expect(idsOf(pins)).toEqual(['one:0', 'one:1', 'one:2'])
})

test('half of the room is for pinned servers alone', () => {
  const told: string[] = []
  const onFull = (server: string, pinned: boolean) => told.push(`${server} ${pinned}`)
  const pins = createPins({ maxPins: 10, maxOfServer: 4, onFull })
  for (const server of ['a', 'b', 'c']) fill(pins, server, 20, false)
  expect(idsOf(pins)).toEqual(['a:16', 'a:17', 'a:18', 'a:19', 'b:19'])
  expect(fill(pins, 'p', 4, true)).not.toContain(false)
  expect(fill(pins, 'q', 2, true)).toEqual([true, false])
  expect(told).toEqual(['a false', 'b false', 'c false', 'q true'])
})

test('what is approved is always kept, in place of the oldest of the same server', () => {
  const pins = createPins({ maxPins: 4, maxOfServer: 2, known: [['old:x', 'h']] })
  for (const server of ['a', 'b']) fill(pins, server, 2, true)
  pins.approve('a:new', 'n')
  pins.approve('b:1', 'n')
  pins.approve('c:new', 'n')
  expect([...pins.entries()].map(([id, { hash }]) => `${id},${hash}`)).toEqual([
    'old:x,h',
    'a:1,h',
    'a:new,n',
    'b:0,h',
    'b:1,n',
    'c:new,n',
  ])
})

test.each(['__proto__', 'constructor:x', ':', ''])('an id like %j is one like any other', (id) => {
  const pins = createPins()
  expect(pins.get(id)).toBeUndefined()
  expect(pins.remember(id, 'h', true)).toBe(true)
  expect(pins.get(id)).toBe('h')
})

describe('definitions', () => {
  const text = (length: number) => 'x'.repeat(length)
  const limits = { maxBytes: 100, maxOfServer: 40, maxOne: 30 }

  function filled() {
    const pins = createPins({ definitionLimits: limits })
    for (const server of ['a', 'b', 'c', 'p', 'q', 'r', 's']) fill(pins, server, 3, true)
    return pins
  }

  test('are kept of what is pinned, once, and go with their pin', () => {
    const pins = filled()
    expect(pins.keep('a:none', text(5), true)).toBe(false)
    expect(pins.keep('a:0', text(5), true)).toBe(true)
    expect(pins.keep('a:0', text(6), true)).toBe(false)
    expect(pins.definition('a:0')).toBe(text(5))
    pins.approve('a:0', 'h')
    expect(pins.definition('a:0')).toBe(text(5))
    pins.approve('a:0', 'other')
    expect(pins.definition('a:0')).toBeUndefined()
  })

  test('have bounds: each, of a server, and of all, half of it for pinned servers alone', () => {
    const pins = filled()
    expect(pins.keep('a:0', text(31), true)).toBe(false)
    expect(pins.keep('a:0', text(30), false)).toBe(true)
    expect(pins.keep('a:1', text(11), false)).toBe(false)
    expect(pins.keep('a:1', text(10), false)).toBe(true)
    expect(pins.keep('b:0', text(11), false)).toBe(false)
    expect(pins.keep('b:0', text(10), false)).toBe(true)
    expect(pins.keep('c:0', text(1), false)).toBe(false)
    expect(pins.keep('p:0', text(30), true)).toBe(true)
    expect(pins.keep('q:0', text(20), true)).toBe(true)
    expect(pins.keep('r:0', text(1), true)).toBe(false)
    pins.approve('a:0', 'other')
    expect(pins.keep('r:0', text(30), true)).toBe(true)
    expect(pins.keep('s:0', text(1), true)).toBe(false)
  })

  test('make room when the oldest goes', () => {
    const pins = createPins({ maxOfServer: 1, definitionLimits: limits })
    for (let index = 0; index < 5; index += 1) {
      pins.remember(`a:${index}`, 'h', false)
      expect(pins.keep(`a:${index}`, text(30), false)).toBe(true)
    }
    expect([...pins.entries()]).toEqual([['a:4', { hash: 'h', definition: text(30) }]])
  })
})
