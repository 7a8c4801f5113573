import { afterEach, expect, test, vi } from 'vitest'
import { Awareness, applyAwarenessUpdate } from 'y-protocols/awareness'
import { createAbsolutePositionFromRelativePosition, createRelativePositionFromJSON, Doc } from 'yjs'
import { type Authors, createAuthors } from './authors.ts'

let authors: Authors
let watcher: Awareness

function start(seenMs?: number) {
  watcher = new Awareness(new Doc())
  watcher.setLocalState(null)
  const send = (update: Uint8Array) => applyAwarenessUpdate(watcher, update, 'test')
  authors = createAuthors({ send, ...(seenMs !== undefined && { seenMs }) })
}
const names = () => [...watcher.getStates().values()].map(({ user }) => user.name)

afterEach(() => {
  vi.useRealTimers()
  authors.close()
  watcher.destroy()
})

test('each is somebody of their own, where they last were, until they leave', () => {
  start()
  const doc = new Doc()
  const text = doc.getText('source')
  text.insert(0, 'x = 1')
  authors.show('one', { cell: 'a', caret: { text, index: 3 } })
  authors.show('two', { cell: 'b' })
  authors.show('two', undefined)
  expect(names().toSorted()).toEqual(['one', 'two'])
  const [one] = [...watcher.getStates().values()].filter(({ user }) => user.name === 'one')
  const head = createRelativePositionFromJSON(one?.cursors[0].head)
  expect(createAbsolutePositionFromRelativePosition(head, doc)).toMatchObject({ index: 3, type: text })
  authors.close()
  expect(names()).toEqual([])
})

test('who does nothing for a while is no longer there', () => {
  vi.useFakeTimers()
  start(1_000)
  authors.show('one', { cell: 'a' })
  vi.advanceTimersByTime(900)
  authors.show('one', { cell: 'b' })
  vi.advanceTimersByTime(900)
  expect(names()).toEqual(['one'])
  vi.advanceTimersByTime(200)
  expect(names()).toEqual([])
})

test('of too many the one who was here last the longest ago makes room', () => {
  start()
  for (let number = 0; number < 20; number += 1) authors.show(`agent ${number}`, undefined)
  authors.show('agent 0', undefined)
  authors.show('one more', undefined)
  expect(names()).toHaveLength(20)
  expect(names()).toContain('agent 0')
  expect(names()).not.toContain('agent 1')
})
