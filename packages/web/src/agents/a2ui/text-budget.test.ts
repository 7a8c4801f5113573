import { expect, test } from 'vitest'
import { createTextBudget } from './text-budget.ts'

const scope = { data: { long: 'x'.repeat(50) }, base: '' }

test('texts are cut where the room ends, and not read beyond it', () => {
  const budget = createTextBudget(5)
  expect(budget.cut(() => 'abc')).toBe('abc')
  expect(budget.cut(() => 'defg')).toBe('de…')
  expect(
    budget.cut(() => {
      throw new Error('read')
    }),
  ).toBe('…')
})

test.each<[string, unknown]>([
  ['a literal', 'x'.repeat(50)],
  ['a path', { path: '/long' }],
  ['the options of a choice', [{ label: { path: '/long' }, value: 'x' }]],
])('%s that there is no room for is not taken', (_, text) => {
  expect(createTextBudget(100).take([text], scope)).toBe(true)
  expect(createTextBudget(40).take([text], scope)).toBe(false)
})
