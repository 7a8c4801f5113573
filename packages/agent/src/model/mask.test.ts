import { expect, test } from 'vitest'
import { createMask } from './mask.ts'

const mask = createMask(['s3cr.t+(', '', 'key'])

test.each([
  ['it is s3cr.t+( and s3cr.t+(', 'it is *** and ***'],
  ['key sk-proj-abc_DEF-123456 is wrong', 'key *** is wrong'],
  ['provided: sk-abcd****************wxyz.', 'provided: ***'],
  ['gsk_0123456789abcdef', '***'],
  ['AIzaSyA0123456789abcdef', '***'],
  ['AKIAIOSFODNN7EXAMPLE', '***'],
  ['Authorization: Bearer abc.def', 'Authorization: ***'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'token ***'],
  ['the model gpt-5.4 has no key', 'the model gpt-5.4 has no key'],
  ['', ''],
])('%j is shown as %j', (text, shown) => {
  expect(mask(text)).toBe(shown)
})
