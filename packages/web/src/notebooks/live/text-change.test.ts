import { expect, test } from 'vitest'
import { findChange, moveCaret } from './text-change.ts'

test.each([
  ['', 'a', 1, { at: 0, removed: 0, inserted: 'a' }],
  ['aaa', 'aaaa', 2, { at: 1, removed: 0, inserted: 'a' }],
  ['aaaa', 'aaa', 1, { at: 1, removed: 1, inserted: '' }],
  ['one two', 'one three', 9, { at: 5, removed: 2, inserted: 'hree' }],
  ['same', 'same', 2, { at: 2, removed: 0, inserted: '' }],
  ['abc', '', 0, { at: 0, removed: 3, inserted: '' }],
  // Never half of a pair.
  ['😀', '😁', 2, { at: 0, removed: 2, inserted: '😁' }],
  ['\u{1F600}', '\u{1FA00}', 2, { at: 0, removed: 2, inserted: '\u{1FA00}' }],
])('from %j to %j', (before, after, caret, change) => {
  const found = findChange(before, after, caret)
  expect(found).toEqual(change)
  const { at, removed, inserted } = found
  expect(before.slice(0, at) + inserted + before.slice(at + removed)).toBe(after)
})

test('whatever the caret says, the change makes one text of the other', () => {
  const texts = ['', 'a', 'ab', 'aab', 'aabaa', 'x😀y', 'x😁y😁', 'abcabc', 'cabcab']
  for (const before of texts)
    for (const after of texts)
      for (let caret = 0; caret <= after.length; caret += 1) {
        const { at, removed, inserted } = findChange(before, after, caret)
        expect(before.slice(0, at) + inserted + before.slice(at + removed)).toBe(after)
      }
})

test.each([
  [0, 0],
  [2, 2],
  [3, 4],
  [4, 4],
  [6, 6],
])('a caret at %i is then at %i', (caret, moved) => {
  expect(moveCaret(caret, { at: 2, removed: 2, inserted: 'xy' })).toBe(moved)
})
