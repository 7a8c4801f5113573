import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { testDatabases } from '@quire/testbed/test-databases'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from './store.ts'

const fixture = new URL('./contender.fixture.ts', import.meta.url).pathname

test.each(testDatabases)(
  'three processes migrate and write one database on $kind at once, and none is refused or lost',
  async ({ createDatabase }) => {
    const { url, drop } = await createDatabase()
    onTestFinished(drop)
    const contend = () => promisify(execFile)(process.execPath, [fixture, url, '100'], { timeout: 30_000 })
    await Promise.all([contend(), contend(), contend()])
    const store = await openStore<{ counter: { value: number; note: string } }>(url)
    onTestFinished(() => store.close())
    expect(await store.db.selectFrom('counter').selectAll().execute()).toStrictEqual([
      { value: 300, note: null },
    ])
  },
)
