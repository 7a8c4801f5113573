import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../log.ts'
import { openStore, type Store } from '../../store/store.ts'
import { anonymous } from '../principal.ts'
import { createToken } from '../token.ts'
import { createDoor, type Door, type DoorOptions } from './door.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'

let store: Store
let keys: KeyStore
const doors: Door[] = []
beforeEach(async () => {
  store = await openStore('sqlite::memory:')
  keys = await createKeyStore(store, 'runtime')
})
afterEach(async () => {
  for (const door of doors.splice(0)) door.close()
  await store.close()
})

const logger = createLogger({ level: 'silent', pretty: false })
async function open(options: Partial<DoorOptions> = {}, keyStore = keys): Promise<Door> {
  const door = await createDoor(keyStore, {
    realm: 'runtime',
    apiKeys: [],
    isAlwaysOpen: false,
    logger,
    ...options,
  })
  doors.push(door)
  return door
}

const CONFIGURED = 'configured-0123456789'
const ANYBODY = { subject: 'anonymous' }

test('it is open while there never was a key', async () => {
  const door = await open()
  expect(door.isOpen()).toBe(true)
  expect(door.authentication.realm).toBe('runtime')
  expect((await open({ apiKeys: [CONFIGURED] })).isOpen()).toBe(false)
})

test('a key that is issued closes it, and to revoke the last opens nothing', async () => {
  const door = await open()
  const { key, token } = await keys.issue({ name: 'ada', scopes: ['agents:read'] })
  await expect.poll(door.isOpen).toBe(false)
  expect(await door.authentication.verify(token)).toMatchObject({
    subject: 'key:ada',
    scopes: new Set(['agents:read']),
  })
  await keys.revoke(key.id)
  await expect.poll(() => door.authentication.verify(token)).toBeNull()
  expect(door.isOpen()).toBe(false)
  expect((await open()).isOpen()).toBe(false)
})

test('keys of the configuration stand beside those that are issued', async () => {
  const door = await open({ apiKeys: [CONFIGURED] })
  const { token } = await keys.issue({ name: 'ada' })
  await expect.poll(() => door.authentication.verify(token)).toMatchObject({ subject: 'key:ada' })
  expect(await door.authentication.verify(CONFIGURED)).toMatchObject({
    subject: expect.stringMatching(/^api-key-/),
  })
})

test('who is revoked hears of it', async () => {
  const { key, token } = await keys.issue({ name: 'ada' })
  const { token: second } = await keys.issue({ name: 'ada' })
  const door = await open()
  const [principal, other] = [
    await door.authentication.verify(token),
    await door.authentication.verify(second),
  ]
  await keys.revoke(key.id)
  await expect.poll(() => principal?.revoked?.aborted).toBe(true)
  expect(other?.revoked?.aborted).toBe(false)
})

test('a key ends with its time, for its streams too', async () => {
  const { token } = await keys.issue({ name: 'ada', expiresAt: new Date(Date.now() + 400) })
  const door = await open()
  const principal = await door.authentication.verify(token)
  expect(principal).not.toBeNull()
  await expect.poll(() => principal?.revoked?.aborted).toBe(true)
  expect(await door.authentication.verify(token)).toBeNull()
  expect(door.isOpen()).toBe(false)
})

test('those who came while it was open leave when it closes', async () => {
  const door = await open()
  expect(door.streamEnd(ANYBODY)).toBeUndefined()
  const end = door.streamEnd(anonymous)
  expect(end?.aborted).toBe(false)
  await keys.issue({ name: 'ada' })
  await expect.poll(() => end?.aborted).toBe(true)
})

test('with the flag it stays open, whatever keys there are', async () => {
  await keys.issue({ name: 'ada' })
  const door = await open({ isAlwaysOpen: true })
  expect(door.isOpen()).toBe(true)
})

test('a database that fails for a while changes nothing', async () => {
  const { key, token } = await keys.issue({ name: 'ada' })
  let isDown = false
  const door = await open(
    {},
    {
      ...keys,
      list: () => (isDown ? Promise.reject(new Error('down')) : keys.list()),
    },
  )
  isDown = true
  await keys.revoke(key.id)
  expect(await door.authentication.verify(token)).not.toBeNull()
  isDown = false
  await expect.poll(() => door.authentication.verify(token)).toBeNull()
})

/** One that listens to nobody, as if the news of a change were still under way. */
function withoutNews(counts: { reads: number }): KeyStore {
  return {
    ...keys,
    onChange: () => () => undefined,
    list() {
      counts.reads += 1
      return keys.list()
    },
  }
}

test('a key works from the moment it was issued', async () => {
  const door = await open({ apiKeys: [CONFIGURED] }, withoutNews({ reads: 0 }))
  const { token } = await keys.issue({ name: 'ada' })
  expect(await door.authentication.verify(token)).toMatchObject({ subject: 'key:ada' })
})

test('nobody comes in without one a moment after the first was issued, without any news of it', async () => {
  const door = await open({}, withoutNews({ reads: 0 }))
  expect(await door.isStillOpen()).toBe(true)
  const end = door.streamEnd(anonymous)
  await keys.issue({ name: 'ada' })
  await expect.poll(() => door.isStillOpen()).toBe(false)
  expect(door.isOpen()).toBe(false)
  expect(end?.aborted).toBe(true)
})

test('an open door stays as it is known while the database fails', async () => {
  let isDown = false
  const door = await open(
    {},
    { ...keys, list: () => (isDown ? Promise.reject(new Error('down')) : keys.list()) },
  )
  isDown = true
  expect(await door.isStillOpen()).toBe(true)
  isDown = false
  await keys.issue({ name: 'ada' })
  await expect.poll(() => door.isStillOpen()).toBe(false)
})

test('under load an open door is looked after a few times a second, not for every request', async () => {
  const counts = { reads: 0 }
  const door = await open({}, withoutNews(counts))
  await expect.poll(() => counts.reads).toBe(2)
  for (let request = 0; request < 200; request++) await door.isStillOpen()
  expect(counts.reads).toBeLessThan(100)
})

test('wrong keys share a few readings, and what cannot be a key of ours causes none', async () => {
  const counts = { reads: 0 }
  const door = await open({ apiKeys: [CONFIGURED] }, withoutNews(counts))
  await expect.poll(() => counts.reads).toBe(2)
  for (const token of ['wrong', 'quire_', `${createToken()}x`, 'x'.repeat(8_000)])
    expect(await door.authentication.verify(token)).toBeNull()
  expect(counts.reads).toBe(2)
  const wrong = Array.from({ length: 500 }, () => door.authentication.verify(createToken()))
  expect(new Set(await Promise.all(wrong))).toEqual(new Set([null]))
  expect(counts.reads).toBe(3)
})
