import { expect, test } from 'vitest'
import { addUsage, NO_USAGE } from './usage.ts'

test('what only one of two knows is kept, what neither knows stays unknown', () => {
  const sum = addUsage(
    { promptTokens: 1, completionTokens: 2, cacheReadTokens: 3 },
    { promptTokens: 10, completionTokens: 20, reasoningTokens: 5 },
  )
  expect(sum).toStrictEqual({
    promptTokens: 11,
    completionTokens: 22,
    cacheReadTokens: 3,
    reasoningTokens: 5,
  })
})

test('nothing added to nothing is nothing, and what is added is not changed', () => {
  const one = Object.freeze({ promptTokens: 1, completionTokens: 1, cacheWriteTokens: 0 })
  expect(addUsage(NO_USAGE, NO_USAGE)).toStrictEqual(NO_USAGE)
  expect(addUsage(one, one)).toStrictEqual({ promptTokens: 2, completionTokens: 2, cacheWriteTokens: 0 })
})
