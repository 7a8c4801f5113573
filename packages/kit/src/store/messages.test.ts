import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStore, type Store, type StoreOptions } from './store.ts'

describe.each(testDatabases)('messages of a store on $kind', ({ kind, createDatabase }) => {
  let url: string
  let store: Store
  let drop: () => Promise<void>

  beforeAll(async () => {
    ;({ url, drop } = await createDatabase())
    store = await openStore(url)
    await sql`create table t (id integer)`.execute(store.db)
  })
  afterAll(async () => {
    await store.close()
    await drop()
  })

  const open = async (options?: StoreOptions) => {
    const other = await openStore(url, options)
    onTestFinished(() => other.close())
    return other
  }

  /** On PostgreSQL messages arrive from the first null on, which says that the connection stands. */
  const listen = async (on: Store, channel: string) => {
    const heard: (string | null)[] = []
    const stop = on.listen(channel, (payload) => heard.push(payload))
    onTestFinished(stop)
    if (kind === 'postgres') await vi.waitFor(() => expect(heard).toContain(null), { timeout: 30_000 })
    return { heard, stop }
  }

  test('delivers a message after the commit, to this process and to others', async () => {
    const here = await listen(store, 'news')
    const there = await listen(await open(), 'news')
    there.heard.length = 0
    await store.transaction(async (tx) => {
      await sql`insert into t values (1)`.execute(tx.db)
      await store.notify('news', 'first', tx)
      expect(here.heard).not.toContain('first')
    })
    await vi.waitFor(() => expect(here.heard).toContain('first'), 30_000)
    await vi.waitFor(() => expect(there.heard).toStrictEqual([kind === 'sqlite' ? null : 'first']), 30_000)
  })

  test('delivers nothing of a transaction that was undone', async () => {
    const { heard } = await listen(store, 'undone')
    await store
      .transaction(async (tx) => {
        await store.notify('undone', 'never', tx)
        throw new Error('undo')
      })
      .catch(() => 'as it should')
    await store.transaction((tx) => store.notify('undone', 'second', tx))
    await vi.waitFor(() => expect(heard).toContain('second'), 30_000)
    expect(heard).not.toContain('never')
  })

  test('stops calling back when told, and survives a listener that throws', async () => {
    const other = await open({ logger: { warn: vi.fn(), error: vi.fn() } })
    const first = await listen(other, 'quiet')
    onTestFinished(
      other.listen('quiet', () => {
        throw new Error('bad listener')
      }),
    )
    const last: (string | null)[] = []
    onTestFinished(other.listen('quiet', (payload) => last.push(payload)))
    first.stop()
    await other.transaction((tx) => other.notify('quiet', 'one', tx))
    await vi.waitFor(() => expect(last).toContain('one'), 30_000)
    expect(first.heard).not.toContain('one')
  })

  test.each([
    ['', 'x'],
    ['Upper', 'x'],
    ['a; drop table sample', 'x'],
    ['a"b', 'x'],
    ['c'.repeat(64), 'x'],
    ['long', 'x'.repeat(8_000)],
    ['wide', 'é'.repeat(4_000)],
    ['nul', 'a\0b'],
  ])('refuses a message on %j', async (channel, payload) => {
    await expect(store.transaction((tx) => store.notify(channel, payload, tx))).rejects.toThrow(/must/)
  })
})
