import { expect, test } from 'vitest'
import { createKeyRing, type Key, keysFromTokens } from './key-ring.ts'
import { missingScopes } from './principal.ts'
import { hashToken } from './token.ts'

test('knows its keys and nothing else', async () => {
  const ring = createKeyRing(keysFromTokens(['first-secret', 'second-secret'], 'client'))
  expect(await ring.verify('first-secret')).toMatchObject({
    subject: expect.stringMatching(/^client-[0-9a-f]{8}$/),
  })
  expect(await ring.verify('second-secret')).not.toBeNull()
  for (const wrong of [
    '',
    'first-secre',
    'first-secret ',
    'FIRST-SECRET',
    hashToken('first-secret'),
    '__proto__',
  ]) {
    expect(await ring.verify(wrong)).toBeNull()
  }
})

test('a rotated key overlaps with the new one, then ends its streams', async () => {
  const old = { hash: hashToken('old'), subject: 'ada' }
  const fresh = { hash: hashToken('fresh'), subject: 'ada' }
  const ring = createKeyRing([old])
  const before = await ring.verify('old')

  ring.replace([old, fresh])
  expect(before?.revoked?.aborted).toBe(false)
  expect(await ring.verify('old')).not.toBeNull()
  expect(await ring.verify('fresh')).toMatchObject({ subject: 'ada' })

  ring.replace([fresh])
  expect(before?.revoked?.aborted).toBe(true)
  expect(await ring.verify('old')).toBeNull()
  expect((await ring.verify('fresh'))?.revoked?.aborted).toBe(false)
})

test.each<[string, Partial<Key>, Partial<Key>]>([
  ['another subject', {}, { subject: 'eve' }],
  ['a scope less', { scopes: ['a', 'b'] }, { scopes: ['a'] }],
  ['a scope more', { scopes: ['a'] }, { scopes: ['a', 'b'] }],
  ['another scope', { scopes: ['a'] }, { scopes: ['b'] }],
  ['scopes where it had all', {}, { scopes: ['a'] }],
  ['no scope where it had all', {}, { scopes: [] }],
  ['all scopes where it had some', { scopes: ['a'] }, {}],
  ['an end', {}, { expiresAt: 9e15 }],
  ['an earlier end', { expiresAt: 9e15 }, { expiresAt: 8e15 }],
])('a key with %s ends the streams that it opened, and goes on', async (_what, first, second) => {
  const key = { hash: hashToken('key'), subject: 'ada' }
  const other = { hash: hashToken('other'), subject: 'bob', scopes: ['a', 'b'] }
  const ring = createKeyRing([{ ...key, ...first }, other])
  const [before, beside] = [await ring.verify('key'), await ring.verify('other')]
  ring.replace([
    { ...key, ...second },
    { ...other, scopes: ['b', 'a', 'a'] },
  ])
  expect(before?.revoked?.aborted).toBe(true)
  const after = await ring.verify('key')
  expect(after?.subject).toBe(second.subject ?? 'ada')
  expect(after?.scopes).toEqual(second.scopes && new Set(second.scopes))
  expect(after?.revoked?.aborted).toBe(false)
  expect(beside?.revoked?.aborted, 'one that is as it was').toBe(false)
  expect(await ring.verify('other')).toBe(beside)
})

test('a key ends at its time', async () => {
  let now = 1_000
  const ring = createKeyRing(
    [{ hash: hashToken('short-lived'), subject: 'ada', expiresAt: 2_000 }],
    () => now,
  )
  expect(await ring.verify('short-lived')).not.toBeNull()
  now = 2_000
  expect(await ring.verify('short-lived')).toBeNull()
})

test('a key without scopes listed has all, one with scopes only those', async () => {
  const ring = createKeyRing([
    { hash: hashToken('all'), subject: 'a' },
    { hash: hashToken('some'), subject: 'b', scopes: ['teams:read'] },
    { hash: hashToken('none'), subject: 'c', scopes: [] },
  ])
  const missing = async (token: string) => {
    const principal = await ring.verify(token)
    return principal && missingScopes(principal, ['teams:read', 'teams:write'])
  }
  expect(await missing('all')).toEqual([])
  expect(await missing('some')).toEqual(['teams:write'])
  expect(await missing('none')).toEqual(['teams:read', 'teams:write'])
})

test('a token keeps its subject whatever stands beside it, and no other gets it', () => {
  const subjects = (...tokens: string[]) => keysFromTokens(tokens, 'client').map(({ subject }) => subject)
  const [alone] = subjects('b-token')
  expect(subjects('a-token', 'b-token')[1]).toBe(alone)
  expect(subjects('c-token')).not.toContain(alone)
})

test('a stored hash that is cut short matches nothing, and harms nobody', async () => {
  const cut = hashToken('first-secret').slice(0, 32)
  const ring = createKeyRing([
    { hash: cut, subject: 'broken' },
    ...keysFromTokens(['second-secret'], 'client'),
  ])
  expect(await ring.verify('first-secret')).toBeNull()
  expect(await ring.verify('second-secret')).not.toBeNull()
})
