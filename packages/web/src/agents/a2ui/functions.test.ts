import { expect, test } from 'vitest'
import { isLike } from './tame-pattern.ts'
import { readValue } from './values.ts'

const scope = { data: { name: 'Ada', count: 3, list: [{ name: 'inner' }] }, base: '/list/0' }
const call = (name: string, args: object) => readValue({ call: name, args }, scope)

test.each<[string, object, unknown]>([
  ['required', { value: { path: '/name' } }, true],
  ['required', { value: { path: '/nobody' } }, false],
  ['length', { value: 'abc', min: 2, max: 3 }, true],
  ['length', { value: 'abcd', max: 3 }, false],
  ['numeric', { value: '7', min: 1, max: 9 }, true],
  ['numeric', { value: '', min: 0 }, false],
  ['numeric', { value: 'x', min: 0 }, false],
  ['email', { value: 'ada@example.org' }, true],
  ['email', { value: 'ada' }, false],
  ['regex', { value: 'CH-3600', pattern: '^CH-\\d{4}$' }, true],
  ['regex', { value: 'x', pattern: '^CH' }, false],
  ['and', { values: [true, { call: 'not', args: { value: false } }] }, true],
  ['and', { values: [true, { call: 'unknown', args: {} }] }, undefined],
  ['or', { values: [false, true] }, true],
  ['or', { values: [false, false] }, false],
  ['add', { a: { path: '/count' }, b: 4 }, 7],
  ['greater_than', { a: { path: '/count' }, b: 4 }, false],
  ['contains', { string: { path: '/name' }, substring: 'd' }, true],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the protocol writes places like this
  ['formatString', { value: '${/name} and ${name}, ${/nobody}!' }, 'Ada and inner, !'],
  ['formatNumber', { value: 1234.5, decimals: 2, grouping: false }, '1234.50'],
  ['pluralize', { value: 1, one: 'a day', other: 'days' }, 'a day'],
  ['pluralize', { value: 0, zero: 'no day', other: 'days' }, 'no day'],
])('%s of %j is %s', (name, args, expected) => {
  expect(call(name, args)).toEqual(expected)
})

test.each<[string, object]>([
  ['constructor', {}],
  ['__proto__', {}],
  ['formatCurrency', { value: 1, currency: '<b>' }],
  ['formatDate', { value: 'never', format: 'yyyy' }],
  ['formatNumber', { value: { toString: 1, valueOf: 1 } }],
  ['openUrl', { url: 'https://example.org' }],
])('%s of %j is nothing', (name, args) => {
  expect(call(name, args)).toBeUndefined()
})

test('calls within calls end', () => {
  let value: unknown = true
  for (let depth = 0; depth < 1_000; depth++) value = { call: 'not', args: { value } }
  expect(readValue(value, scope)).toBeUndefined()
})

test('a text with many places is cut', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the protocol writes places like this
  const value = { call: 'formatString', args: { value: '${/a}'.repeat(20_000) } }
  expect(readValue(value, { data: { a: 'x'.repeat(50_000) }, base: '' })).toHaveLength(100_000)
})

test.each([
  '^(a+)+$',
  '(a|a)*b',
  `${'(a|a)'.repeat(38)}b`,
  `${'a?'.repeat(60)}${'a'.repeat(60)}b`,
  '(?=a)a',
  '(a)\\1',
  'a*a*a*a*b',
  '[',
  'x'.repeat(201),
])('%s is a pattern that nobody waits for', (pattern) => {
  expect(isLike('a'.repeat(60), pattern)).toBeUndefined()
})

test('a long text is compared with no pattern', () => {
  expect(isLike('a'.repeat(1_000), 'a+b')).toBeUndefined()
})
