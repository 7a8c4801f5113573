import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { startTeams } from '../teams.fixture.ts'

const api = await startTeams()
afterAll(api.close)

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const give = (team: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', `${team}/tasks`, body, { headers })

test('a task needs a title, and has a default for all else', async () => {
  verifies('TM-TASK-2', 'TM-TASK-3', 'TM-TASK-10', 'TM-TASK-13', 'TM-TASK-14', 'TM-TASK-16', 'TM-TASK-20')
  const team = await api.createTeam()
  const { body } = await api.expectStatus(201, 'POST', `${team}/tasks`, { title: 'Count' })
  expect(body).toEqual({
    task_id: expect.stringMatching(/^[\w-]{20,64}$/),
    team_id: team.slice('/teams/'.length),
    title: 'Count',
    description: '',
    status: 'pending',
    priority: 'medium',
    assigned_to: null,
    depends_on: [],
    timeout_seconds: 300,
    max_retries: 2,
    result: null,
    error: null,
    attempts: 0,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_usd: 0 },
    created_at: expect.stringMatching(ISO_TIME),
    assigned_at: null,
    started_at: null,
    ended_at: null,
    waiting_for: null,
  })
  const { body: waiting } = await api.expectStatus(200, 'GET', `${team}/tasks/${body.task_id}`)
  expect(waiting).toEqual({ ...body, waiting_for: expect.stringContaining('start') })
})

test('a task is made of what was sent', async () => {
  verifies('TM-TASK-1', 'TM-TASK-7', 'TM-TASK-12', 'TM-TASK-21')
  const team = await api.createTeam()
  const first = await api.createTask(team)
  const id = first.split('/').at(-1)
  const fields = { title: 'Sum up', description: 'All of it.', priority: 'critical', assigned_to: 'slow' }
  const more = { depends_on: [id, id], timeout_seconds: 86_400, max_retries: 0 }
  const { body } = await api.expectStatus(201, 'POST', `${team}/tasks`, { ...fields, ...more })
  expect(body).toMatchObject({ ...fields, ...more, depends_on: [id] })
  const { body: shown } = await api.expectStatus(200, 'GET', `${team}/tasks/${body.task_id}`)
  expect(shown).toMatchObject({ ...fields, waiting_for: expect.stringContaining(`${id} (pending)`) })
})

test('null is as good as absent', async () => {
  const team = await api.createTeam()
  const nothing = { description: null, assigned_to: null, depends_on: null, timeout_seconds: null }
  const { body } = await api.expectStatus(201, 'POST', `${team}/tasks`, { title: 'x', ...nothing })
  expect(body).toMatchObject({ description: '', assigned_to: null, depends_on: [], timeout_seconds: 300 })
})

test('a task that was done has its result, what it cost and when', async () => {
  verifies('TM-TASK-20', 'TM-TASK-19', 'TM-LIFE-30')
  const team = await api.createTeam()
  const task = await api.createTask(team, { assigned_to: 'quick' })
  await api.expectStatus(200, 'POST', `${team}/start`)
  const done = await api.until(task, 'completed')
  expect(done).toMatchObject({
    result: 'Done.',
    error: null,
    attempts: 1,
    assigned_to: 'quick',
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    waiting_for: null,
  })
  for (const time of ['assigned_at', 'started_at', 'ended_at']) expect(done[time]).toMatch(ISO_TIME)
  expect(done.ended_at >= done.started_at && done.started_at >= done.assigned_at).toBe(true)
})

test.each(['draft', 'start', 'pause', 'stop'])('tasks are accepted after %s', async (last) => {
  verifies('TM-TASK-18', 'TM-TASK-3')
  const team = await api.createTeam()
  if (last !== 'draft') await api.expectStatus(200, 'POST', `${team}/start`)
  if (last === 'pause' || last === 'stop') await api.expectStatus(200, 'POST', `${team}/${last}`)
  for (const assigned_to of ['quick', 'slow', null]) {
    const { body } = await api.expectStatus(201, 'POST', `${team}/tasks`, { title: 'x', assigned_to })
    expect(body).toMatchObject({ status: 'pending', assigned_at: null })
  }
})

describe('the list', () => {
  test('has all tasks in their order, or those of a status, or a page', async () => {
    verifies('TM-TASK-4', 'TM-TASK-5', 'TM-TASK-6')
    const team = await api.createTeam()
    const paths: string[] = []
    for (const title of ['a', 'b', 'c', 'd']) paths.push(await api.createTask(team, { title }))
    await api.expectStatus(200, 'POST', `${paths[1]}/cancel`)
    const list = async (query = '') =>
      (await api.expectStatus(200, 'GET', `${team}/tasks${query}`)).body.map(
        ({ title }: { title: string }) => title,
      )
    expect(await list()).toEqual(['a', 'b', 'c', 'd'])
    expect(await list('?status=cancelled')).toEqual(['b'])
    expect(await list('?status=pending')).toEqual(['a', 'c', 'd'])
    expect(await list('?status=completed')).toEqual([])
    expect(await list('?limit=2')).toEqual(['a', 'b'])
    expect(await list('?limit=2&offset=1')).toEqual(['b', 'c'])
    expect(await list('?status=pending&offset=1')).toEqual(['c', 'd'])
    const { body } = await api.call('GET', `${team}/tasks?limit=1`)
    expect(body[0]).toEqual((await api.call('GET', paths[0] ?? '')).body)
  })

  test.each([
    'limit=0',
    'limit=-1',
    'limit=1001',
    'limit=1000000000',
    'limit=x',
    'offset=-1',
    'status=done',
    'status=',
    'state=pending',
  ])('with %s is 422', async (query) => {
    verifies('TM-ERR-4')
    await api.expectStatus(422, 'GET', `${await api.createTeam()}/tasks?${query}`)
  })
})

describe('to cancel', () => {
  test('ends a task that waits, and one that runs, and leaves one that ended as it is', async () => {
    verifies('TM-TASK-8', 'TM-METRIC-3')
    const team = await api.createTeam()
    const waiting = await api.createTask(team)
    const { body } = await api.expectStatus(200, 'POST', `${waiting}/cancel`)
    expect(body).toMatchObject({ status: 'cancelled', ended_at: expect.stringMatching(ISO_TIME) })
    await api.expectStatus(200, 'POST', `${team}/start`)
    const running = await api.createTask(team, { assigned_to: 'slow' })
    await api.until(running, 'in_progress')
    await api.expectStatus(200, 'POST', `${running}/cancel`)
    expect((await api.call('GET', running)).body.status).toBe('cancelled')
    const { body: refused } = await api.expectStatus(409, 'POST', `${running}/cancel`)
    expect(refused).toEqual({ detail: expect.stringMatching(/cancelled.*has not ended/) })
    const metrics = (await api.call('GET', `${team}/metrics`)).body
    expect(metrics).toMatchObject({ tasks_total: 2, tasks_cancelled: 2, tasks_pending: 0 })
  })
})

describe('to retry', () => {
  test('lets one that failed or was cancelled be done again, and no other', async () => {
    verifies('TM-TASK-9')
    const team = await api.createTeam()
    await api.expectStatus(200, 'POST', `${team}/start`)
    const task = await api.createTask(team, { assigned_to: 'broken' })
    const failed = await api.until(task, 'failed')
    expect(failed.error).toEqual({ message: expect.stringMatching(/\w/), code: 'refused' })
    const { body } = await api.expectStatus(200, 'POST', `${task}/retry`)
    expect(body).toMatchObject({ task_id: failed.task_id, error: null, ended_at: null })
    expect((await api.until(task, 'failed')).attempts).toBe(2)
    const waiting = await api.createTask(await api.createTeam())
    const { body: refused } = await api.expectStatus(409, 'POST', `${waiting}/retry`)
    expect(refused).toEqual({ detail: expect.stringMatching(/pending.*failed or was cancelled/) })
  })
})

test('a task of another team is not there', async () => {
  const [one, other] = [await api.createTeam(), await api.createTeam()]
  const id = (await api.createTask(one)).split('/').at(-1)
  await api.expectStatus(404, 'GET', `${other}/tasks/${id}`)
  await api.expectStatus(404, 'POST', `${other}/tasks/${id}/cancel`)
  await api.expectStatus(422, 'POST', `${other}/tasks`, { title: 'x', depends_on: [id] })
})

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'order-66' }

  test('gives the same task again, as it is now', async () => {
    verifies('TM-TASK-22')
    const team = await api.createTeam()
    const first = await give(team, { title: 'x', description: 'y' }, headers)
    expect(first.status).toBe(201)
    const again = await give(team, { description: 'y', title: 'x', priority: 'medium' }, headers)
    expect(again).toMatchObject({ status: 200, body: { task_id: first.body.task_id, status: 'pending' } })
    await api.expectStatus(200, 'POST', `${team}/tasks/${first.body.task_id}/cancel`)
    const late = await give(team, { title: 'x', description: 'y' }, headers)
    expect(late).toMatchObject({ status: 200, body: { task_id: first.body.task_id, status: 'cancelled' } })
    expect((await api.call('GET', `${team}/tasks`)).body).toHaveLength(1)
    const other = await give(team, { title: 'x', description: 'y' }, { 'idempotency-key': 'order-67' })
    expect(other.status).toBe(201)
    expect((await give(await api.createTeam(), { title: 'x' }, headers)).status).toBe(201)
  })

  test('makes one task of many requests at once', async () => {
    verifies('TM-TASK-22')
    const team = await api.createTeam()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => give(team, { title: 'x' }, headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.task_id)).size).toBe(1)
  })

  test('with another body is refused', async () => {
    verifies('TM-TASK-23')
    const team = await api.createTeam()
    await give(team, { title: 'x' }, headers)
    const { status, body } = await give(team, { title: 'y' }, headers)
    expect(status).toBe(422)
    expect(body.detail).toContain('Idempotency-Key')
    expect((await api.call('GET', `${team}/tasks`)).body).toHaveLength(1)
  })

  test.each(['', 'x'.repeat(256), 'a b', 'ä', 'a\tb'])('of %j is refused', async (key) => {
    verifies('TM-ERR-2')
    const team = await api.createTeam()
    const { status, body } = await give(team, { title: 'x' }, { 'idempotency-key': key })
    expect(status).toBe(422)
    expect(body.errors).toEqual([
      { path: 'header.idempotency-key', message: expect.stringContaining('1 to 255 visible ASCII') },
    ])
    expect((await give(team, { title: 'x' }, { 'idempotency-key': 'x'.repeat(255) })).status).toBe(201)
  })

  test('is sent once', async () => {
    const team = await api.createTeam()
    const body = '{"title":"x"}'
    const head = ['Host: localhost', 'Connection: close', 'Content-Type: application/json']
    const keys = ['Idempotency-Key: a', 'Idempotency-Key: b', `Content-Length: ${body.length}`]
    const lines = [`POST ${team}/tasks HTTP/1.1`, ...head, ...keys]
    expect((await sendRaw(api.port, `${lines.join('\r\n')}\r\n\r\n${body}`)).status).toBe(422)
  })
})

describe('a task is refused', () => {
  test('without a title', async () => {
    verifies('TM-TASK-11')
    const { status, body } = await give(await api.createTeam(), { description: 'x' })
    expect(status).toBe(422)
    expect(body.detail).toMatch(/^body\.title: is missing/)
  })

  test.each(['urgent', 'HIGH', '', 1, null, ['high']])('with the priority %j', async (priority) => {
    verifies('TM-TASK-15')
    const { status, body } = await give(await api.createTeam(), { title: 'x', priority })
    expect(status).toBe(422)
    expect(body.detail).toContain('"critical", "high", "medium", "low"')
  })

  test.each(['critical', 'high', 'medium', 'low'])('but not with the priority %s', async (priority) => {
    verifies('TM-TASK-15')
    expect(await give(await api.createTeam(), { title: 'x', priority })).toMatchObject({
      status: 201,
      body: { priority },
    })
  })

  test('for somebody who is no member', async () => {
    verifies('TM-TASK-17')
    const { status, body } = await give(await api.createTeam(), { title: 'x', assigned_to: 'Eve' })
    expect(status).toBe(422)
    expect(body.errors[0].path).toBe('body.assigned_to')
  })

  test.each<[string, object]>([
    ['body.title', { title: '' }],
    ['body.title', { title: ' \t' }],
    ['body.title', { title: 'x'.repeat(501) }],
    ['body.title', { title: 'a\u0000' }],
    ['body.title', { title: 7 }],
    ['body.description', { description: 7 }],
    ['body.description', { description: '\udc00' }],
    ['body.description', { description: 'x'.repeat(262_145) }],
    ['body.assigned_to', { assigned_to: '' }],
    ['body.assigned_to', { assigned_to: 7 }],
    ['body.assigned_to', { assigned_to: ['quick'] }],
    ['body.depends_on', { depends_on: 'x' }],
    ['body.depends_on', { depends_on: Array.from({ length: 101 }, () => 'x') }],
    ['body.depends_on[0]', { depends_on: [7] }],
    ['body.depends_on[0]', { depends_on: [''] }],
    ['body.depends_on[0]', { depends_on: ['a\u0000'] }],
    ['body.depends_on[0]', { depends_on: ['0b54c9f2-7a52-4d0e-9a51-0c1d2f6b7a10'] }],
    ['body.timeout_seconds', { timeout_seconds: 0 }],
    ['body.timeout_seconds', { timeout_seconds: -1 }],
    ['body.timeout_seconds', { timeout_seconds: 1e9 }],
    ['body.timeout_seconds', { timeout_seconds: 1.5 }],
    ['body.timeout_seconds', { timeout_seconds: '60' }],
    ['body.max_retries', { max_retries: -1 }],
    ['body.max_retries', { max_retries: 11 }],
    ['body.max_retries', { max_retries: 1e9 }],
    ['body', { status: 'completed' }],
    ['body', { task_id: 'mine' }],
  ])('because of %s in %j', async (path, fields) => {
    verifies('TM-ERR-2')
    const team = await api.createTeam()
    const { status, body } = await give(team, { title: 'x', ...fields })
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.errors.map((error: { path: string }) => error.path)).toContain(path)
    expect((await api.call('GET', `${team}/tasks`)).body).toEqual([])
  })
})
