import { expect, test } from 'vitest'
import { createGate, type Ticket } from './gate.ts'

function enter(gate: ReturnType<typeof createGate>): Ticket {
  const ticket = gate.enter()
  if (!ticket) throw new Error('the line is full')
  return ticket
}

test('lets so many in, so many wait, and turns the rest away', () => {
  const gate = createGate(() => ({ inside: 2, waiting: 1 }))
  expect(enter(gate).turn).toBeUndefined()
  expect(enter(gate).turn).toBeUndefined()
  expect(enter(gate).turn).toBeDefined()
  expect(gate.enter()).toBeUndefined()
  expect([gate.inside, gate.waiting]).toEqual([2, 1])
})

test('first come, first served, and who left the line is passed over', async () => {
  const gate = createGate(() => ({ inside: 1, waiting: 9 }))
  const first = enter(gate)
  const seen: number[] = []
  const line = [1, 2, 3].map((number) => {
    const ticket = enter(gate)
    void ticket.turn?.then(() => seen.push(number))
    return ticket
  })
  const [one, two] = line
  if (!one || !two) throw new Error('nobody waits')
  gate.leave(one)
  gate.leave(first)
  await two.turn
  expect([gate.inside, gate.waiting]).toEqual([1, 1])
  gate.leave(two)
  await line[2]?.turn
  expect(seen).toEqual([2, 3])
})

test('nobody slips past the line', () => {
  const limits = { inside: 1, waiting: 9 }
  const gate = createGate(() => limits)
  const first = enter(gate)
  const second = enter(gate)
  limits.inside = 5
  expect(enter(gate).turn).toBeDefined()
  gate.leave(first)
  expect([gate.inside, gate.waiting]).toEqual([2, 0])
  gate.leave(second)
  expect(enter(gate).turn).toBeUndefined()
})

test('a limit that was lowered lets nobody in before it is kept', () => {
  const limits = { inside: 2, waiting: 9 }
  const gate = createGate(() => limits)
  const [first, second] = [enter(gate), enter(gate)]
  enter(gate)
  limits.inside = 1
  gate.leave(first)
  expect([gate.inside, gate.waiting]).toEqual([1, 1])
  gate.leave(second)
  expect([gate.inside, gate.waiting]).toEqual([1, 0])
})
