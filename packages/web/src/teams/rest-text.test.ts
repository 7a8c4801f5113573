import { expect, test } from 'vitest'
import { toRestText } from './rest-text.ts'

test.each([
  [0, 0, undefined],
  [999, 1_000, undefined],
  [1_000, 1_000, undefined],
  [1_000, 999, undefined],
  [1_000, 1_001, 'The board shows the newest 1,000 of 1,001 tasks; its columns count these.'],
  [1_000, 10_000, 'The board shows the newest 1,000 of 10,000 tasks; its columns count these.'],
])('a board of %i of %i tasks', (shown, total, expected) => {
  expect(toRestText(shown, total)).toBe(expected)
})
