import { expect, test } from 'vitest'
import { addSpent, NOTHING_SPENT, toSpent } from './spent.ts'

const usage = { promptTokens: 10, completionTokens: 5 }

test('a model that knows its price puts it beside the tokens', () => {
  expect(toSpent(usage, { cost: ({ completionTokens }) => completionTokens / 100 })).toStrictEqual({
    ...usage,
    cost: 0.05,
  })
  expect(toSpent(usage, { cost: () => undefined })).toStrictEqual(usage)
})

test('the cost of a sum is known where that of every part is', () => {
  const priced = { ...usage, cost: 0.05 }
  expect(addSpent(NOTHING_SPENT, priced)).toStrictEqual(priced)
  expect(addSpent(priced, priced)).toStrictEqual({ promptTokens: 20, completionTokens: 10, cost: 0.1 })
  expect(addSpent(priced, usage)).toStrictEqual({ promptTokens: 20, completionTokens: 10 })
})
