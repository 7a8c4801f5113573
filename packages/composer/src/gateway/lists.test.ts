import { expect, test } from 'vitest'
import { createLists, type ListRequest } from './lists.ts'
import { resultOf } from './parts.fixture.ts'

const tools: ListRequest = {
  kind: 'tools',
  method: 'tools/list',
  era: 'legacy',
  viewKey: 'a',
  cursor: undefined,
}
const same = (entry: object) => entry
const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `t${index}` }))

test('a long list comes in pages, each entry once', () => {
  const lists = createLists({ pageSize: 10 })
  const seen: unknown[] = []
  let cursor: unknown
  do {
    const page = resultOf(lists.read({ ...tools, cursor }, named(25), same))
    seen.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(seen).toEqual(named(25))
})

test('an empty list is one empty page', () => {
  expect(resultOf(createLists().read(tools, [], same))).toEqual({ tools: [] })
})

test('in the stateless era a list says how it may be kept', () => {
  const lists = createLists()
  expect(resultOf(lists.read({ ...tools, era: 'modern' }, named(1), same))).toEqual({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [{ name: 't0' }],
  })
})

test.each([
  '',
  'x',
  'MQ=',
  'MQ==',
  'LTE',
  'MA',
  'MS41',
  'MDE',
  '%00',
  Buffer.from('3').toString('base64url'),
  Buffer.from('999999999999').toString('base64url'),
  Buffer.from('__proto__').toString('base64url'),
  'x'.repeat(10_000),
  null,
  1,
  {},
  ['MQ'],
])('the cursor %j is refused', (cursor) => {
  const lists = createLists({ pageSize: 10 })
  expect(() => lists.read({ ...tools, cursor }, named(25), same)).toThrow(
    expect.objectContaining({ code: -32602 }),
  )
})

test('a list is written once for all who see the same, and anew when it is another list', () => {
  const lists = createLists()
  let written = 0
  const read = (viewKey: string, entries: readonly object[]) =>
    lists.read({ ...tools, viewKey }, entries, (entry) => {
      written += 1
      return entry
    })
  const one = named(1)
  expect(read('a', one)).toEqual(read('a', one))
  expect(written).toBe(1)
  read('b', one)
  expect(written).toBe(2)
  expect(resultOf(read('a', named(2))).tools).toHaveLength(2)
  expect(written).toBe(4)
})

test('only so many are kept, the one that was read longest ago goes first', () => {
  const lists = createLists()
  const entries = named(1)
  const written: string[] = []
  const read = (viewKey: string) =>
    lists.read({ ...tools, viewKey }, entries, (entry) => {
      written.push(viewKey)
      return entry
    })
  for (let index = 0; index < 32; index += 1) read(`v${index}`)
  read('v0')
  read('new')
  read('v0')
  expect(written).toHaveLength(33)
  read('v1')
  expect(written.at(-1)).toBe('v1')
})
