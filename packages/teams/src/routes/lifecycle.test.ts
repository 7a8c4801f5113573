import { verifies } from '@quire/spec/verifies'
import { afterAll, describe, expect, test } from 'vitest'
import { startTeams } from '../teams.fixture.ts'

const api = await startTeams()
afterAll(api.close)

const WAYS: Readonly<Record<string, readonly string[]>> = {
  draft: [],
  running: ['start'],
  paused: ['start', 'pause'],
  stopped: ['start', 'stop'],
}

async function teamThatIs(status: string): Promise<string> {
  const team = await api.createTeam()
  for (const operation of WAYS[status] ?? []) await api.expectStatus(200, 'POST', `${team}/${operation}`)
  return team
}

describe.each([
  ['draft', 'start', 'running', 'team_started', ['TM-LIFE-1', 'TM-LIFE-21', 'TM-EVENT-14']],
  ['stopped', 'start', 'running', 'team_started', ['TM-LIFE-2', 'TM-LIFE-21', 'TM-EVENT-14']],
  ['running', 'stop', 'stopped', 'team_stopped', ['TM-LIFE-5', 'TM-LIFE-22', 'TM-EVENT-17']],
  ['paused', 'stop', 'stopped', 'team_stopped', ['TM-LIFE-6', 'TM-LIFE-22', 'TM-EVENT-17']],
  ['running', 'pause', 'paused', 'team_paused', ['TM-LIFE-9', 'TM-LIFE-23', 'TM-EVENT-15']],
  ['paused', 'resume', 'running', 'team_resumed', ['TM-LIFE-13', 'TM-LIFE-24', 'TM-EVENT-16']],
] as const)('a team that is %s', (status, operation, next, told, clauses) => {
  test(`is ${next} after ${operation}`, async () => {
    verifies(...clauses)
    const team = await teamThatIs(status)
    const { body } = await api.expectStatus(200, 'POST', `${team}/${operation}`)
    expect(body).toMatchObject({ status: next, name: 'Writers', members: expect.any(Array) })
    expect((await api.call('GET', team)).body).toEqual(body)
    expect((await api.call('GET', `${team}/events?limit=1`)).body).toMatchObject([{ event_type: told }])
  })
})

describe.each([
  ['running', 'start', 'TM-LIFE-3'],
  ['paused', 'start', 'TM-LIFE-4'],
  ['draft', 'stop', 'TM-LIFE-7'],
  ['stopped', 'stop', 'TM-LIFE-8'],
  ['draft', 'pause', 'TM-LIFE-10'],
  ['stopped', 'pause', 'TM-LIFE-11'],
  ['paused', 'pause', 'TM-LIFE-12'],
  ['draft', 'resume', 'TM-LIFE-14'],
  ['running', 'resume', 'TM-LIFE-15'],
  ['stopped', 'resume', 'TM-LIFE-16'],
] as const)('a team that is %s', (status, operation, clause) => {
  test(`stays so after ${operation}, and the answer says what can be done`, async () => {
    verifies(clause, 'TM-ERR-3')
    const team = await teamThatIs(status)
    const { body: before } = await api.call('GET', team)
    const { body } = await api.expectStatus(409, 'POST', `${team}/${operation}`)
    expect(body).toEqual({ detail: expect.stringContaining(status) })
    expect(body.detail).toMatch(/can do now: .*(?:start|stop|pause|resume)/)
    expect((await api.call('GET', team)).body).toEqual(before)
  })
})

describe('a team can be deleted', () => {
  test.each([
    ['stopped', 'TM-LIFE-17'],
    ['draft', 'TM-LIFE-18'],
    ['paused', 'TM-LIFE-19'],
  ] as const)('when it is %s', async (status, clause) => {
    verifies(clause)
    const team = await teamThatIs(status)
    const answer = await api.expectStatus(204, 'DELETE', team)
    expect(answer.body).toBe('')
    await api.expectStatus(404, 'GET', team)
    await api.expectStatus(404, 'DELETE', team)
  })

  test('but not while it is running', async () => {
    verifies('TM-LIFE-20', 'TM-ERR-3')
    const team = await teamThatIs('running')
    const { body } = await api.expectStatus(409, 'DELETE', team)
    expect(body.detail).toMatch(/running.*stop/)
    expect((await api.call('GET', team)).body.status).toBe('running')
  })
})

test('of two starts at once one is refused', async () => {
  verifies('TM-LIFE-3')
  const team = await api.createTeam()
  const answers = await Promise.all([1, 2, 3].map(() => api.call('POST', `${team}/start`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test('a body is of no use, and does no harm', async () => {
  const team = await api.createTeam()
  await api.expectStatus(200, 'POST', `${team}/start`, { force: true })
  await api.expectStatus(415, 'POST', `${team}/stop`, 'x', { headers: { 'content-type': 'text/plain' } })
})
