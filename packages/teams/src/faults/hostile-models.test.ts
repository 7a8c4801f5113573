import { AgentError } from '@quire/agent/agent-error'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcess, type TestProcess } from '../engine/engine.fixture.ts'
import { TEN_MEBIBYTES } from '../members/scripted-model.fixture.ts'

const down = new AgentError('unavailable', 'The provider is down.')

describe.each(testDatabases)('models that misbehave, on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, {
      script: {
        deaf: { ending: 'deaf' },
        endless: { ending: 'endless' },
        big: TEN_MEBIBYTES,
        broken: down,
        ada: 'Done.',
      },
      concurrency: 4,
    })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  test.each(['deaf', 'endless'])('one that is %s is left when its time is over', async (name) => {
    const team = await one.startedTeam([name])
    const task = await one.createTask(team, { timeoutSeconds: 1, maxRetries: 0 })
    expect(await one.until(task, 'failed')).toMatchObject({ error: { code: 'timeout' }, attempts: 1 })
    expect(await one.teams.metrics(team.id)).toMatchObject({ tasksActive: 0, tasksFailed: 1 })
  })

  test('they keep nobody else from their work', async () => {
    const team = await one.startedTeam(['deaf', 'endless', 'big', 'broken', 'ada'])
    const theirs = await Promise.all(
      ['deaf', 'endless', 'big', 'broken'].map((assignedTo) =>
        one.createTask(team, { assignedTo, timeoutSeconds: 2, maxRetries: 0 }),
      ),
    )
    const own = await Promise.all(
      Array.from({ length: 10 }, () => one.createTask(team, { assignedTo: 'ada' })),
    )
    for (const task of own) await one.until(task, 'completed')
    for (const task of theirs) await one.until(task, 'failed', 'completed')
    expect(await one.teams.metrics(team.id)).toMatchObject({ tasksActive: 0, tasksPending: 0 })
  })

  test('a supervisor that is deaf is given up, too', async () => {
    const team = await one.startedTeam(['deaf', 'ada'], {
      supervisor: { memberName: 'deaf', reviewRequired: true },
    })
    const task = await one.createTask(team, { assignedTo: 'ada', timeoutSeconds: 1, maxRetries: 0 })
    expect(await one.until(task, 'failed')).toMatchObject({ error: { code: 'timeout' } })
  })
})
