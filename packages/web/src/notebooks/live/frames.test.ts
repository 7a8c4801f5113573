import { expect, test } from 'vitest'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { awarenessFrame, readFrame, type SyncStep, syncFrame } from './frames.ts'

test.each<[SyncStep, number]>([
  ['ask', 0],
  ['answer', 1],
  ['update', 2],
])('%s is step %i of the protocol, and is read as it was written', (step, number) => {
  for (const length of [0, 1, 127, 128, 300, 70_000]) {
    const bytes = new Uint8Array(length).fill(7)
    const frame = syncFrame(step, bytes)
    expect([...frame.subarray(0, 2)]).toEqual([0, number])
    expect(readFrame(frame)).toEqual({ kind: step, bytes })
  }
})

test('an update survives the way', () => {
  const [one, other] = [new Y.Doc(), new Y.Doc()]
  one.getText('text').insert(0, 'Grüße '.repeat(500))
  Y.applyUpdate(other, readFrame(syncFrame('answer', Y.encodeStateAsUpdate(one))).bytes)
  expect(other.getText('text').toString()).toBe(one.getText('text').toString())
})

test('presence has a kind of its own', () => {
  const awareness = new Awareness(new Y.Doc())
  awareness.setLocalStateField('user', { name: 'Ada' })
  const bytes = encodeAwarenessUpdate(awareness, [awareness.clientID])
  expect(readFrame(awarenessFrame(bytes))).toEqual({ kind: 'awareness', bytes })
  awareness.destroy()
})

test('kinds that there may be one day are let pass', () => {
  expect(readFrame(Uint8Array.of(2, 1, 65))).toMatchObject({ kind: 'other' })
})

test.each([
  [[]],
  [[0]],
  [[0, 3, 0]],
  [[0, 1, 5, 1]],
  [[1, 0x80]],
  [[0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]],
])('%j is no frame', (bytes) => {
  expect(() => readFrame(Uint8Array.from(bytes))).toThrow(RangeError)
})
