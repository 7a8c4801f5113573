import { expect, test } from 'vitest'
import { toIndented } from './indent.ts'

test.each([
  ['', 0, 0, false, { text: '    ', start: 4, end: 4 }],
  ['ab', 2, 2, false, { text: 'ab  ', start: 4, end: 4 }],
  ['a\nb', 0, 3, false, { text: '    a\n    b', start: 4, end: 11 }],
  ['a\n\nb', 0, 4, false, { text: '    a\n\n    b', start: 4, end: 12 }],
  ['    a', 5, 5, true, { text: 'a', start: 1, end: 1 }],
  ['  a', 1, 1, true, { text: 'a', start: 0, end: 0 }],
  ['\ta\n    b', 0, 8, true, { text: 'a\nb', start: 0, end: 3 }],
  ['a', 1, 1, true, { text: 'a', start: 1, end: 1 }],
])('%j from %i to %i, back: %s', (text, start, end, isBack, expected) => {
  expect(toIndented(text, start, end, isBack)).toEqual(expected)
})
