import { verifies } from '@quire/spec/verifies'
import { afterAll, describe, expect, test } from 'vitest'
import { startTeams, TEAM } from '../teams.fixture.ts'

const api = await startTeams()
afterAll(api.close)

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const NOTHING = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_usd: 0 }
const NO_TASKS = {
  tasks_total: 0,
  tasks_completed: 0,
  tasks_failed: 0,
  tasks_pending: 0,
  tasks_cancelled: 0,
  tasks_active: 0,
}
const create = (body: unknown) => api.call('POST', '/teams', body)

test('a team is made of what was sent, and is a draft', async () => {
  verifies('TM-TEAM-1', 'TM-TEAM-4', 'TM-TEAM-5', 'TM-TEAM-6', 'TM-TEAM-10')
  const { body } = await api.expectStatus(201, 'POST', '/teams', TEAM)
  expect(body).toEqual({
    team_id: expect.stringMatching(/^[\w-]{20,64}$/),
    name: 'Writers',
    status: 'draft',
    execution_mode: 'parallel',
    members: [
      { name: 'quick', model: 'scripted:quick', system_prompt: 'You are quick.', mcp_toolsets: [] },
      { name: 'slow', model: 'scripted:slow', system_prompt: '', mcp_toolsets: [] },
      { name: 'broken', model: 'scripted:broken', system_prompt: '', mcp_toolsets: [] },
    ],
    usage: NOTHING,
    created_at: expect.stringMatching(ISO_TIME),
    tasks_active: 0,
  })
  expect((await api.expectStatus(200, 'GET', `/teams/${body.team_id}`)).body).toEqual(body)
})

test('all that may be left out may be given, and is shown', async () => {
  verifies('TM-TEAM-3', 'TM-BUDGET-1')
  const fields = {
    description: 'Two who write.',
    execution_mode: 'supervisor',
    members: [{ name: 'Ada Lovelace', model: 'scripted:quick', max_steps: 7 }, { name: 'Bob' }],
    supervisor: { member_name: 'Bob', review_required: true },
    budget: { max_tokens: 1_000 },
  }
  const { body } = await api.expectStatus(201, 'POST', '/teams', { ...TEAM, ...fields })
  expect(body).toMatchObject({
    ...fields,
    members: [
      { name: 'Ada Lovelace', max_steps: 7 },
      { name: 'Bob', model: 'scripted:quick' },
    ],
  })
})

test('null is as good as absent', async () => {
  const nothing = { description: null, supervisor: null, budget: null }
  const member = { name: 'a', model: null, system_prompt: null, mcp_toolsets: null, max_steps: null }
  const { body } = await api.expectStatus(201, 'POST', '/teams', {
    ...TEAM,
    ...nothing,
    members: [{ ...member, agent_url: null }],
  })
  expect(Object.keys(body)).not.toContain('supervisor')
  expect(body.members).toEqual([{ name: 'a', model: 'scripted:quick', system_prompt: '', mcp_toolsets: [] }])
})

test('the list has a summary of each, all of them or a page', async () => {
  verifies('TM-TEAM-7', 'TM-TEAM-8', 'TM-TEAM-9')
  const paths: string[] = []
  for (const name of ['one', 'two', 'three']) paths.push(await api.createTeam({ name }))
  const { body: all } = await api.expectStatus(200, 'GET', '/teams')
  expect(all.length).toBeGreaterThanOrEqual(3)
  expect(all.slice(-3)).toEqual(
    ['one', 'two', 'three'].map((name, index) => ({
      team_id: paths[index]?.slice('/teams/'.length),
      name,
      status: 'draft',
      execution_mode: 'parallel',
      members_count: 3,
      ...NO_TASKS,
      usage: NOTHING,
    })),
  )
  const page = (query: string) => api.expectStatus(200, 'GET', `/teams?${query}`)
  expect((await page('limit=2')).body).toEqual(all.slice(0, 2))
  expect((await page('limit=1&offset=1')).body).toEqual(all.slice(1, 2))
  expect((await page(`offset=${all.length - 1}`)).body).toEqual(all.slice(-1))
  expect((await page('offset=1000000000')).body).toEqual([])
})

test.each([
  'limit=0',
  'limit=-1',
  'limit=1001',
  'limit=x',
  'limit=',
  'limit=1.5',
  'limit=1&limit=2',
  'offset=-1',
  'offset=10000000000',
  'nonsense=1',
])('the list with %s is 422', async (query) => {
  verifies('TM-ERR-4')
  const { body } = await api.expectStatus(422, 'GET', `/teams?${query}`)
  expect(body.detail).toMatch(/^query/)
})

test('tasks are counted alike in the team, in its summary and in its metrics', async () => {
  verifies('TM-METRIC-8', 'TM-METRIC-1', 'TM-METRIC-2', 'TM-METRIC-3', 'TM-METRIC-9')
  const team = await api.createTeam({ budget: { max_tokens: 1_000 } })
  const slow = await api.createTask(team, { assigned_to: 'slow' })
  await api.createTask(team, { assigned_to: 'slow' })
  const cancelled = await api.createTask(team, { assigned_to: 'slow' })
  await api.expectStatus(200, 'POST', `${cancelled}/cancel`)
  await api.expectStatus(200, 'POST', `${team}/start`)
  const quick = await api.createTask(team, { assigned_to: 'quick' })
  await api.until(quick, 'completed')
  await api.until(slow, 'in_progress')
  const { body } = await api.call('GET', team)
  expect(body).toMatchObject({
    tasks_active: 1,
    status: 'running',
    started_at: expect.stringMatching(ISO_TIME),
  })
  const counts = {
    tasks_total: 4,
    tasks_completed: 1,
    tasks_failed: 0,
    tasks_pending: 2,
    tasks_cancelled: 1,
    tasks_active: 1,
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const { body: all } = await api.call('GET', '/teams')
  expect(all.find(({ team_id }: { team_id: string }) => team_id === body.team_id)).toEqual({
    team_id: body.team_id,
    name: 'Writers',
    status: 'running',
    execution_mode: 'parallel',
    members_count: 3,
    ...counts,
    budget: { max_tokens: 1_000 },
    usage,
  })
  const { body: metrics } = await api.expectStatus(200, 'GET', `${team}/metrics`)
  expect(metrics).toEqual({ ...counts, members_active: 1, uptime_seconds: expect.any(Number), usage })
})

describe('a budget', () => {
  test('is changed in every state, a limit at a time', async () => {
    verifies('TM-BUDGET-4', 'TM-BUDGET-1')
    const team = await api.createTeam({ budget: { max_tokens: 10 } })
    const patch = async (budget: unknown) =>
      (await api.expectStatus(200, 'PATCH', team, { budget })).body.budget
    expect(await patch({ max_tokens: 20 })).toEqual({ max_tokens: 20 })
    expect(await patch({})).toEqual({ max_tokens: 20 })
    await api.expectStatus(200, 'POST', `${team}/start`)
    expect(await patch({ max_tokens: 30 })).toEqual({ max_tokens: 30 })
    expect((await api.call('GET', team)).body.budget).toEqual({ max_tokens: 30 })
    expect(await patch({ max_tokens: null })).toBeUndefined()
    await patch({ max_tokens: 30 })
    expect(await patch(null)).toBeUndefined()
  })

  test('in money needs models with a price, also afterwards', async () => {
    verifies('TM-BUDGET-3')
    const { body } = await api.expectStatus(422, 'POST', '/teams', { ...TEAM, budget: { max_cost_usd: 1 } })
    expect(body.errors[0].path).toMatch(/^body\.budget\.max_cost_usd|^body\.members/)
    const team = await api.createTeam()
    await api.expectStatus(422, 'PATCH', team, { budget: { max_cost_usd: 1 } })
    expect((await api.call('GET', team)).body.budget).toBeUndefined()
  })

  test.each([
    {},
    { budget: 1 },
    { budget: [] },
    { budget: { max_tokens: 0 } },
    { budget: { max_tokens: -1 } },
    { budget: { max_tokens: 1.5 } },
    { budget: { max_tokens: '10' } },
    { budget: { max_cost_usd: 0 } },
    { budget: { max_cost_usd: -0.1 } },
    { budget: { max_euros: 1 } },
    { budget: {}, name: 'x' },
    { status: 'running' },
  ])('is not changed by %j', async (changes) => {
    verifies('TM-ERR-2')
    const team = await api.createTeam()
    await api.expectStatus(422, 'PATCH', team, changes)
  })
})

const member = (fields: object) => ({ members: [{ name: 'a', ...fields }] })

describe('a team is refused', () => {
  test.each(['name', 'execution_mode', 'members'])('without %s', async (field) => {
    verifies('TM-TEAM-2')
    const { status, body } = await create({ ...TEAM, [field]: undefined })
    expect(status).toBe(422)
    expect(body.detail).toMatch(new RegExp(`^body\\.${field}: is missing`))
  })

  test('without members', async () => {
    verifies('TM-TEAM-12')
    expect(await create({ ...TEAM, members: [] })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'body.members' }] },
    })
  })

  test('with two members of one name', async () => {
    verifies('TM-TEAM-13')
    const members = [{ name: 'Ada' }, { name: 'Bob' }, { name: 'Ada' }]
    expect(await create({ ...TEAM, members })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'body.members[2].name', message: expect.stringContaining('members[0]') }] },
    })
  })

  test('with a supervisor who is no member', async () => {
    verifies('TM-TEAM-14')
    expect(await create({ ...TEAM, supervisor: { member_name: 'Eve' } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'body.supervisor.member_name' }] },
    })
  })

  test('in the mode supervisor without one', async () => {
    const { status, body } = await create({ ...TEAM, execution_mode: 'supervisor' })
    expect(status).toBe(422)
    expect(body.detail).toMatch(/^body\.supervisor: is missing: in the mode "supervisor"/)
  })

  test.each(['fast', 'PARALLEL', '', null, 1, ['parallel']])('in the mode %j', async (execution_mode) => {
    verifies('TM-MODE-4')
    expect(await create({ ...TEAM, execution_mode })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'body.execution_mode', message: expect.stringContaining('"sequential"') }] },
    })
  })

  test.each<[string, object]>([
    ['body.name', { name: '' }],
    ['body.name', { name: '  ' }],
    ['body.name', { name: 'x'.repeat(101) }],
    ['body.name', { name: 'a\nb' }],
    ['body.name', { name: 'a\u0000b' }],
    ['body.name', { name: '\ud800' }],
    ['body.name', { name: 7 }],
    ['body.name', { name: null }],
    ['body.description', { description: 7 }],
    ['body.description', { description: 'x'.repeat(262_145) }],
    ['body.members', { members: {} }],
    ['body.members', { members: Array.from({ length: 101 }, (_, index) => ({ name: `m${index}` })) }],
    ['body.members[0]', { members: ['Ada'] }],
    ['body.members[0].name', { members: [{}] }],
    ['body.members[0].name', member({ name: 'x'.repeat(101) })],
    ['body.members[0].name', member({ name: 'a\u0000' })],
    ['body.members[0]', member({ role: 'x' })],
    ['body.members[0].model', member({ model: 'gpt' })],
    ['body.members[0].model', member({ model: 'nobody:x' })],
    ['body.members[0].model', member({ model: 7 })],
    ['body.members[0].system_prompt', member({ system_prompt: 7 })],
    ['body.members[0].system_prompt', member({ system_prompt: 'a\u0000' })],
    ['body.members[0].system_prompt', member({ system_prompt: 'x'.repeat(262_145) })],
    ['body.members[0].mcp_toolsets', member({ mcp_toolsets: 'files' })],
    ['body.members[0].mcp_toolsets[0]', member({ mcp_toolsets: ['files'] })],
    ['body.members[0].mcp_toolsets[0]', member({ mcp_toolsets: [7] })],
    ['body.members[0].max_steps', member({ max_steps: 0 })],
    ['body.members[0].max_steps', member({ max_steps: -1 })],
    ['body.members[0].max_steps', member({ max_steps: 1e9 })],
    ['body.members[0].max_steps', member({ max_steps: 1.5 })],
    ['body.members[0].max_steps', member({ max_steps: '3' })],
    ['body.members[0].agent_url', member({ agent_url: 'http://127.0.0.1:1/api/v1/agents/x' })],
    ['body.members[0].agent_url', member({ agent_url: 'file:///etc/passwd' })],
    ['body.members[0].agent_url', member({ agent_url: 'http://a b/' })],
    ['body.members[0].agent_url', member({ agent_url: 7 })],
    ['body.members[0].model', member({ agent_url: 'http://h/api/v1/agents/x', model: 'scripted:quick' })],
    ['body.members[0].max_steps', member({ agent_url: 'http://h/api/v1/agents/x', max_steps: 3 })],
    ['body.supervisor', { supervisor: 'quick' }],
    ['body.supervisor.member_name', { supervisor: {} }],
    ['body.supervisor.member_name', { supervisor: { review_required: true } }],
    ['body.supervisor.review_required', { supervisor: { member_name: 'quick', review_required: 'yes' } }],
    ['body.supervisor', { supervisor: { member_name: 'quick', model: 'x' } }],
    ['body.budget', { budget: {} }],
    ['body.budget', { budget: 5 }],
    ['body.budget.max_tokens', { budget: { max_tokens: 0 } }],
    ['body.budget.max_tokens', { budget: { max_tokens: -1 } }],
    ['body.budget.max_tokens', { budget: { max_tokens: 1e13 } }],
    ['body.budget.max_cost_usd', { budget: { max_cost_usd: 0 } }],
    ['body.budget.max_cost_usd', { budget: { max_cost_usd: 1e10 } }],
    ['body', { owner: 'me' }],
    ['body', { team_id: 'mine' }],
  ])('because of %s in %j', async (path, fields) => {
    verifies('TM-ERR-2')
    const { status, body } = await create({ ...TEAM, ...fields })
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.errors.map((error: { path: string }) => error.path)).toContain(path)
    for (const { message } of body.errors)
      expect(message).not.toMatch(/Invalid|expected|Too (?:big|small)|Unrecognized/)
  })

  test('because of a number that is none', async () => {
    const text = JSON.stringify({ ...TEAM, budget: { max_cost_usd: 7 } }).replace('7', '1e999')
    expect((await create(text)).status).toBe(422)
  })

  test('and nothing is left of it', async () => {
    const { body: before } = await api.call('GET', '/teams')
    await create({ ...TEAM, members: [] })
    await create({ ...TEAM, ...member({ model: 'nobody:x' }) })
    expect((await api.call('GET', '/teams')).body).toEqual(before)
  })
})
