import { expect, test } from 'vitest'
import { createToken, isIntactToken } from './token.ts'

test('tokens are long, distinct, recognisable and fit for a header', () => {
  const tokens = Array.from({ length: 100 }, createToken)
  expect(new Set(tokens).size).toBe(100)
  for (const token of tokens) expect(token).toMatch(/^quire_[A-Za-z0-9_-]{49}$/)
})

test('a mistyped or shortened token is told from a foreign one', () => {
  const token = createToken()
  expect(isIntactToken(token)).toBe(true)
  expect(isIntactToken(token.slice(0, -1))).toBe(false)
  expect(
    isIntactToken(
      token.replace(/.(.{10})$/, (tail) =>
        tail.startsWith('A') ? `B${tail.slice(1)}` : `A${tail.slice(1)}`,
      ),
    ),
  ).toBe(false)
  expect(isIntactToken('a-token-of-somebody-else')).toBe(true)
})
