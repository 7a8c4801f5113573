import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ScriptedAnswer } from '../members/scripted-model.fixture.ts'
import { HANGS } from '../members/scripted-model.fixture.ts'
import type { TeamDraft } from '../team.ts'
import { startProcess, type TestProcess } from './engine.fixture.ts'

const REVIEWED: Partial<TeamDraft> = { supervisor: { memberName: 'boss', reviewRequired: true } }

const says = (approved: boolean, reasons: string): ScriptedAnswer => ({
  calls: [{ name: 'review_result', args: { approved, reasons } }],
})

describe.each(testDatabases)('review on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let verdicts: ScriptedAnswer[]

  beforeAll(async () => {
    database = await createDatabase()
    one = await startProcess(database.url, {
      script: {
        ada: ['First try.', 'Second try.', 'Third try.'],
        boss: () => verdicts.shift() ?? says(true, 'fine'),
      },
    })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  const run = async (answers: ScriptedAnswer[], maxRetries = 0) => {
    verdicts = answers
    const team = await one.startedTeam(['ada', 'boss'], REVIEWED)
    const task = await one.createTask(team, { assignedTo: 'ada', maxRetries })
    return { team, task }
  }

  test('a result is complete when the supervisor approves it', async () => {
    verifies('TM-REVIEW-1', 'TM-REVIEW-2', 'TM-EVENT-20')
    const { team, task } = await run([])
    expect((await one.until(task, 'completed')).result).toMatch(/try/)
    expect((await one.eventTypes(team)).slice(-3)).toEqual([
      ...['task_started', 'task_review_requested', 'task_completed'],
    ])
  })

  test('one that is returned goes back to its member with the reasons', async () => {
    verifies('TM-REVIEW-3', 'TM-EVENT-21')
    const { team, task } = await run([says(false, 'too short'), says(true, 'good')])
    expect(await one.until(task, 'completed')).toMatchObject({ rejections: 1, attempts: 1 })
    const asked = one.models.requests.findLast(({ id }) => id === 'scripted:ada')
    expect(JSON.stringify(asked?.request.messages.at(-1))).toContain('too short')
    const reviewed = one.models.requests.findLast(({ id }) => id === 'scripted:boss')
    expect(JSON.stringify(reviewed?.request.messages)).toContain('too short')
    expect((await one.eventTypes(team)).filter((type) => type.includes('review'))).toEqual([
      ...['task_review_requested', 'task_review_rejected', 'task_review_requested'],
    ])
  })

  test('one that is returned more than twice has failed', async () => {
    verifies('TM-REVIEW-4', 'TM-EVENT-23')
    const { team, task } = await run([says(false, 'a'), says(false, 'b'), says(false, 'the last straw')])
    expect(await one.until(task, 'failed')).toMatchObject({
      rejections: 3,
      error: { code: 'review', message: expect.stringContaining('the last straw') },
    })
    expect((await one.eventTypes(team)).filter((type) => type === 'task_failed')).toHaveLength(1)
  })

  test('a verdict that makes no sense counts as none, and is told', async () => {
    verifies('TM-RULE-2')
    const { team, task } = await run(['Trains!', 'Trains, I say!', says(true, 'good')])
    await one.until(task, 'completed')
    expect(await one.teams.lastEvents(team.id, 100)).toContainEqual(
      expect.objectContaining({
        type: 'task_review_rejected',
        data: expect.objectContaining({ fallback: true }),
      }),
    )
  })

  test('a stop in the middle of a review is gone on with after the start, without doing the work again', async () => {
    const { team, task } = await run([HANGS, says(true, 'good')])
    await one.until(task, 'in_review')
    const { result } = await one.teams.getTask(team.id, task.id)
    expect(result).toBeUndefined()
    const asked = one.models.requests.filter(({ id }) => id === 'scripted:ada').length
    await one.teams.stop(team.id)
    expect(await one.teams.getTask(team.id, task.id)).toMatchObject({ status: 'pending' })
    await one.teams.start(team.id)
    await one.until(task, 'completed')
    expect(one.models.requests.filter(({ id }) => id === 'scripted:ada')).toHaveLength(asked)
  })

  test('a supervisor that cannot be reached is asked again later, and the work is not done again', async () => {
    const { task } = await run([new Error('down'), says(true, 'good')], 1)
    const asked = one.models.requests.filter(({ id }) => id === 'scripted:ada').length
    expect(await one.until(task, 'completed')).toMatchObject({ attempts: 1 })
    expect(one.models.requests.filter(({ id }) => id === 'scripted:ada').length).toBeLessThanOrEqual(
      asked + 1,
    )
  })
})
