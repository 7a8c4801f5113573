import { expect, test } from 'vitest'
import { threadMeta, threadOf, toThread } from './thread.ts'

const KEY = 'quire/thread'

test('the same work has the same thread, other work another, and none tells whose it is', () => {
  const { id } = toThread(['member', 'a', 'b'], 'Ada')
  expect(toThread(['member', 'a', 'b']).id).toBe(id)
  expect(toThread(['member', 'a/b'], 'Ada').id).not.toBe(id)
  expect(toThread(['member', 'ab', ''], 'Ada').id).not.toBe(id)
  expect(id).not.toContain('member')
})

test('it is read as it was sent', () => {
  const thread = toThread(['member', 'a', 'b'], 'Ada')
  expect(threadOf(threadMeta(thread))).toEqual(thread)
  expect(threadMeta(undefined)).toEqual({})
})

test.each([
  undefined,
  null,
  'x',
  [],
  {},
  { [KEY]: 'x' },
  { [KEY]: { name: 'Ada' } },
  { [KEY]: { id: 1 } },
  { [KEY]: { id: '' } },
  { [KEY]: { id: 'x'.repeat(65) } },
])('%j names no thread', (meta) => {
  expect(threadOf(meta)).toBeUndefined()
})

test.each([1, '', 'x'.repeat(257), null])('the name %j counts for nothing', (name) => {
  expect(threadOf({ [KEY]: { id: 'x', name } })).toEqual({ id: 'x' })
})
