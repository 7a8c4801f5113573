import { openStore, type Store } from '@quire/kit/store/store'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateTables, type RuntimeSchema } from '../conversations/tables.ts'
import type { AgentRecord, AgentStore } from './agent-record.ts'
import { createAgentStore } from './create-agent-store.ts'

const DEFINITION: Omit<AgentRecord, 'id' | 'createdAt' | 'updatedAt'> = {
  name: 'Zoë',
  description: 'odd \0 text',
  transport: 'streaming',
  model: 'builtin:guide',
  systemPrompt: '',
  mcpToolsets: ['notebook'],
  maxSteps: 5,
  toolApproval: true,
}

describe.each(testDatabases)('agents on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let store: Store
  let agents: AgentStore
  let time = 1_800_000_000_000

  beforeAll(async () => {
    database = await createDatabase()
    store = await openStore(database.url)
    await migrateTables(store)
    agents = createAgentStore(store, { now: () => new Date(time) })
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  test('are kept as they were given, in the order of their creation', async () => {
    const first = await agents.insert({ id: 'z', ...DEFINITION })
    expect(first).toStrictEqual({
      id: 'z',
      ...DEFINITION,
      createdAt: '2027-01-15T08:00:00.000Z',
      updatedAt: '2027-01-15T08:00:00.000Z',
    })
    await agents.insert({ id: 'a', ...DEFINITION })
    expect(await agents.find('z')).toStrictEqual(first)
    expect(await agents.find('y')).toBeUndefined()
    expect((await agents.list()).map(({ id }) => id)).toStrictEqual(['z', 'a'])
    await expect(agents.insert({ id: 'z', ...DEFINITION })).rejects.toMatchObject({
      problem: { status: 409 },
    })
  })

  test('change in the fields that are given', async () => {
    await agents.insert({ id: 'changing', ...DEFINITION })
    time += 1_000
    const changed = await agents.update('changing', { name: 'New', mcpToolsets: [] })
    expect(changed).toStrictEqual({
      id: 'changing',
      ...DEFINITION,
      name: 'New',
      mcpToolsets: [],
      createdAt: '2027-01-15T08:00:00.000Z',
      updatedAt: '2027-01-15T08:00:01.000Z',
    })
    expect(await agents.find('changing')).toStrictEqual(changed)
    expect(await agents.update('nobody', { name: 'New' })).toBeUndefined()
  })

  test('lose no change when several come at once', async () => {
    await agents.insert({ id: 'busy', ...DEFINITION })
    await Promise.all([
      agents.update('busy', { name: 'one' }),
      agents.update('busy', { description: 'two' }),
      agents.update('busy', { maxSteps: 3 }),
    ])
    expect(await agents.find('busy')).toMatchObject({ name: 'one', description: 'two', maxSteps: 3 })
  })

  test('are listed without their system prompts, which may be long', async () => {
    await agents.insert({ id: 'wordy', ...DEFINITION, systemPrompt: 'Mind \0 this. '.repeat(1_000) })
    const listed = (await agents.list()).find(({ id }) => id === 'wordy')
    expect(listed).toMatchObject({
      name: DEFINITION.name,
      mcpToolsets: DEFINITION.mcpToolsets,
      toolApproval: true,
    })
    expect(JSON.stringify(listed)).not.toContain('Mind')
    const { definition } = await store
      .as<RuntimeSchema>()
      .db.selectFrom('runtime_agent')
      .select('definition')
      .where('id', '=', 'wordy')
      .executeTakeFirstOrThrow()
    expect(definition).not.toContain('Mind')
    await agents.update('wordy', { name: 'New' })
    expect(await agents.find('wordy')).toMatchObject({
      systemPrompt: expect.stringContaining('Mind \0 this.'),
    })
    expect(await agents.update('wordy', { systemPrompt: 'Short.' })).toMatchObject({ systemPrompt: 'Short.' })
    expect(await agents.find('wordy')).toMatchObject({ name: 'New', systemPrompt: 'Short.' })
  })

  test('are removed once', async () => {
    await agents.insert({ id: 'gone', ...DEFINITION })
    expect([await agents.remove('gone'), await agents.remove('gone')]).toStrictEqual([true, false])
    expect(await agents.find('gone')).toBeUndefined()
  })
})
