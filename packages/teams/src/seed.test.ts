import { openStore } from '@quire/kit/store/store'
import { testDatabases } from '@quire/testbed/test-databases'
import { expect, onTestFinished, test, vi } from 'vitest'
import { seedTeam } from './seed.ts'
import type { TeamDraft } from './team.ts'

const DRAFT: TeamDraft = { name: 'First', executionMode: 'parallel', members: [] }

test.each(testDatabases)(
  'the first team of a database on $kind comes once, whoever asks',
  async ({ createDatabase }) => {
    const { url, drop } = await createDatabase()
    const stores = await Promise.all([openStore(url), openStore(url)])
    onTestFinished(async () => {
      for (const store of stores) await store.close()
      await drop()
    })
    const create = vi.fn()
    for (let round = 0; round < 2; round += 1)
      await Promise.all(stores.map((store) => seedTeam(store, { create }, DRAFT)))
    expect(create.mock.calls).toEqual([[DRAFT]])
  },
)
