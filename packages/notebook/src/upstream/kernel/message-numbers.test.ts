import { expect, test } from 'vitest'
import { createMessageNumbers } from './message-numbers.ts'

type Step = number | 'cut' | `${string}_${number}` | 'unnumbered'

const CASES: [string, Step[], boolean][] = [
  ['the next number follows', [4, 5, 'cut', 6], true],
  ['a number is missing', [4, 5, 'cut', 7], false],
  ['a missing number comes late', [4, 5, 'cut', 7, 6], true],
  ['one of two missing numbers comes late', [4, 'cut', 7, 6], false],
  ['nothing has come since', [4, 5, 'cut'], false],
  ['only what came before comes again', [4, 5, 'cut', 5], false],
  ['an earlier number comes late, then the next', [4, 6, 'cut', 5, 7], true],
  ['nothing was known before', ['cut', 1], false],
  ['the sender is another', [4, 'cut', 'other_5'], false],
  ['the sender was another in between', [4, 'cut', 5, 'other_1', 6], false],
  ['numbers jump beyond all reason', [4, 'cut', 4_000_000], false],
  ['ids have no numbers', ['unnumbered', 'cut', 'unnumbered'], false],
  [
    'a number is too long to be one',
    ['k_9999999999999999999999', 'cut', 'k_99999999999999999999999'] as Step[],
    false,
  ],
]

test.each(CASES)('when %s', (_name, steps, isClosed) => {
  const numbers = createMessageNumbers()
  let gap: { isClosed(): boolean } | undefined
  for (const step of steps) {
    if (step === 'cut') gap = numbers.open()
    else numbers.note(typeof step === 'number' ? `session_12_${step}` : step)
  }
  expect(gap?.isClosed()).toBe(isClosed)
})

test('each break is judged by what came since', () => {
  const numbers = createMessageNumbers()
  numbers.note('k_1')
  const first = numbers.open()
  numbers.note('k_3')
  const second = numbers.open()
  numbers.note('k_4')
  expect([first.isClosed(), second.isClosed()]).toEqual([false, true])
  numbers.note('k_2')
  expect([first.isClosed(), second.isClosed()]).toEqual([true, true])
  numbers.note('k_6')
  expect([first.isClosed(), second.isClosed()]).toEqual([false, false])
})

test('breaks without end cost no memory without end', () => {
  const numbers = createMessageNumbers()
  numbers.note('k_1')
  const gaps = Array.from({ length: 100 }, () => numbers.open())
  numbers.note('k_2')
  expect(gaps.filter((gap) => gap.isClosed())).toEqual(gaps.slice(-8))
})
