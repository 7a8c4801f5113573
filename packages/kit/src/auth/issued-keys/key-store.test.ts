import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../store/store.ts'
import { hashToken } from '../token.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'

describe.each(testDatabases)('issued keys on $kind', ({ createDatabase }) => {
  let drop: () => Promise<void>
  let store: Store
  let other: Store
  let keys: KeyStore
  beforeAll(async () => {
    const database = await createDatabase()
    drop = database.drop
    store = await openStore(database.url)
    other = await openStore(database.url)
    keys = await createKeyStore(store, 'runtime')
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
    await drop?.()
  })

  test('are kept as hashes, and shown once', async () => {
    verifies('RT-AUTH-7')
    const expiresAt = new Date(Date.now() + 1_000_000)
    const { key, token } = await keys.issue({ name: 'ada', scopes: ['agents:read'], expiresAt })
    expect(token).toMatch(/^quire_/)
    expect(await keys.list()).toEqual([{ ...key, hash: hashToken(token) }])
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      name: 'ada',
      scopes: ['agents:read'],
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expiresAt.toISOString(),
    })
    const { rows } = await sql`select * from runtime_key`.execute(store.db)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(token.slice('quire_'.length, 20))
  })

  test('are revoked once, and stay in the list', async () => {
    verifies('RT-AUTH-6')
    const { key } = await keys.issue({ name: 'bob' })
    expect(await keys.revoke(key.id)).toBe(true)
    expect(await keys.revoke(key.id)).toBe(false)
    expect(await keys.revoke("' or 1=1 --")).toBe(false)
    const found = (await keys.list()).find(({ id }) => id === key.id)
    expect(found).toMatchObject({ name: 'bob', revokedAt: expect.stringMatching(/Z$/) })
    expect(found).not.toHaveProperty('scopes')
  })

  test('are of one service: another has a table of its own', async () => {
    const others = await createKeyStore(store, 'teams')
    const { key } = await others.issue({ name: 'dora', scopes: ['teams:read'] })
    expect((await others.list()).map(({ id }) => id)).toEqual([key.id])
    expect((await keys.list()).map(({ id }) => id)).not.toContain(key.id)
    expect(await keys.revoke(key.id)).toBe(false)
    const { rows } = await sql`select id from teams_key`.execute(store.db)
    expect(rows).toEqual([{ id: key.id }])
  })

  test('tell other processes when they change', async () => {
    let changes = 0
    const stop = (await createKeyStore(other, 'runtime')).onChange(() => {
      changes += 1
    })
    await new Promise((resolve) => setImmediate(resolve))
    const before = changes
    await keys.issue({ name: 'cleo' })
    await expect.poll(() => changes).toBeGreaterThan(before)
    stop()
  })
})
