import { verifies } from '@quire/spec/verifies'
import { afterAll, expect, test } from 'vitest'
import { startTeams } from '../teams.fixture.ts'

const api = await startTeams()
afterAll(api.close)

test.each(['/', '/nothing', '/team', '/teams/a/b', '/api/v1/teams'])(
  'there is nothing at %s',
  async (path) => {
    verifies('TM-ERR-1')
    expect(await api.call('GET', path)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(path) },
    })
  },
)

test('a slash at the end changes nothing', async () => {
  verifies('TM-SVC-7')
  const team = await api.createTeam()
  const task = await api.createTask(team)
  for (const path of ['/teams/', '/health/', '/ready/', `${team}/`, `${team}/tasks/`, `${task}/`])
    await api.expectStatus(200, 'GET', path)
  for (const path of ['metrics/', 'events/']) await api.expectStatus(200, 'GET', `${team}/${path}`)
  await api.expectStatus(201, 'POST', `${team}/tasks/`, { title: 'x' })
  await api.expectStatus(200, 'POST', `${task}/cancel/`)
  await api.expectStatus(200, 'POST', `${task}/retry/`)
  for (const operation of ['start', 'pause', 'resume', 'stop'])
    await api.expectStatus(200, 'POST', `${team}/${operation}/`)
  await api.expectStatus(204, 'DELETE', `${team}/`)
})
