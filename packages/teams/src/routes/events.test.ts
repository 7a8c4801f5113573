import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createKeys, startTeams, TOKEN } from '../teams.fixture.ts'
import { readEvents } from './event-reader.fixture.ts'

const api = await startTeams()
afterAll(api.close)

const streams: { leave(): void }[] = []
afterEach(() => {
  for (const { leave } of streams.splice(0)) leave()
})

async function follow(team: string, { query = '', ...headers }: Record<string, string> = {}) {
  const stream = await readEvents(`${api.url}${team}/events${query}`, headers)
  streams.push(stream)
  return stream
}

const STREAM = { headers: { accept: 'text/event-stream' } }
const seqsOf = (events: readonly { readonly seq: number }[]) => events.map(({ seq }) => seq)

/** `team_created`, and two events for each of its tasks. */
async function teamWith(tasks: number): Promise<string> {
  const team = await api.createTeam()
  for (let count = 0; count < tasks; count += 1) await api.createTask(team, { assigned_to: 'quick' })
  return team
}

describe('as a list', () => {
  test('events say what happened, to which team, when and in which order', async () => {
    verifies(
      'TM-EVENT-1',
      'TM-EVENT-2',
      'TM-EVENT-9',
      'TM-EVENT-10',
      'TM-EVENT-11',
      'TM-EVENT-13',
      'TM-EVENT-18',
    )
    const team = await teamWith(1)
    const { body, headers } = await api.expectStatus(200, 'GET', `${team}/events`)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('vary')).toContain('Accept')
    expect(body.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'team_created',
      'task_created',
      'task_assigned',
    ])
    const [{ task_id }] = (await api.call('GET', `${team}/tasks`)).body
    expect(body[2]).toEqual({
      event_type: 'task_assigned',
      team_id: team.slice('/teams/'.length),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      seq: 3,
      data: { task_id, assigned_to: 'quick' },
    })
    expect(seqsOf(body)).toEqual([1, 2, 3])
  })

  test('there are the newest so many, oldest first', async () => {
    verifies('TM-EVENT-3', 'TM-EVENT-4', 'TM-EVENT-5')
    const team = await teamWith(30)
    const seqs = async (query: string) =>
      seqsOf((await api.expectStatus(200, 'GET', `${team}/events${query}`)).body)
    expect(await seqs('')).toEqual(Array.from({ length: 50 }, (_, index) => index + 12))
    expect(await seqs('?limit=2')).toEqual([60, 61])
    expect(await seqs('?limit=1')).toEqual([61])
    expect(await seqs('?limit=1000')).toEqual(Array.from({ length: 61 }, (_, index) => index + 1))
  })

  test.each(['0', '-1', '1001', '1000000000', 'x', '', '1.5', '1e2', '٣'])(
    'a limit of %j is 422',
    async (limit) => {
      verifies('TM-ERR-4', 'TM-EVENT-5')
      const team = await api.createTeam()
      const path = `${team}/events?limit=${encodeURIComponent(limit)}`
      await api.expectStatus(422, 'GET', path)
      await api.expectStatus(422, 'GET', path, undefined, STREAM)
    },
  )
})

test.each([
  ['', 'json'],
  ['*/*', 'json'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
  ['application/json', 'json'],
  ['application/json, text/event-stream', 'json'],
  ['text/event-stream;q=0.1, application/json', 'json'],
  ['text/event-stream;q=0', 'json'],
  ['image/png', 'json'],
  ['text/event-stream', 'event-stream'],
  ['TEXT/EVENT-STREAM', 'event-stream'],
  ['text/event-stream, application/json', 'event-stream'],
  ['text/event-stream, application/json;q=0.5', 'event-stream'],
  ['text/event-stream, */*', 'event-stream'],
  ['text/event-stream;charset=utf-8', 'event-stream'],
])('who accepts %j gets %s', async (accept, type) => {
  verifies('TM-EVENT-1', 'TM-EVENT-6')
  const team = await api.createTeam()
  const answer = await api.ask('GET', `${team}/events`, undefined, { headers: { accept } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain(type)
  expect(answer.headers.get('vary')).toContain('Accept')
  await answer.body?.cancel()
})

describe('as a stream', () => {
  test('the newest come first, and then what happens', async () => {
    verifies('TM-EVENT-6', 'TM-EVENT-8', 'TM-EVENT-14', 'TM-EVENT-19', 'TM-EVENT-22')
    const team = await teamWith(1)
    const stream = await follow(team)
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(stream.response.headers.get('cache-control')).toContain('no-cache')
    await stream.has(3)
    await api.expectStatus(200, 'POST', `${team}/start`)
    const seen = await stream.has(6)
    expect(stream.types()).toEqual([
      ...['team_created', 'task_created', 'task_assigned'],
      ...['team_started', 'task_started', 'task_completed'],
    ])
    expect(seen.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6'])
    const { body } = await api.call('GET', `${team}/events`)
    expect(seen.map(({ data }) => data)).toEqual(body)
    for (const { event, data } of seen) expect(event).toBe(data.event_type)
  })

  test('there are no more than asked for before it is live', async () => {
    verifies('TM-EVENT-8')
    const team = await teamWith(30)
    const whole = await follow(team)
    const short = await follow(team, { query: '?limit=2' })
    await whole.has(50)
    await short.has(2)
    await api.createTask(team)
    expect((await whole.has(51)).map(({ data }) => data.seq)).toEqual(
      Array.from({ length: 51 }, (_, index) => index + 12),
    )
    expect((await short.has(3)).map(({ data }) => data.seq)).toEqual([60, 61, 62])
  })

  test.each([
    ['0', [1, 2, 3, 4, 5, 6]],
    ['3', [4, 5, 6]],
    ['5', [6]],
    ['', [5, 6]],
  ])('whoever saw %j last misses nothing and sees nothing twice', async (last, expected) => {
    verifies('TM-EVENT-7')
    const team = await teamWith(2)
    const stream = await follow(team, { 'last-event-id': last, query: '?limit=1' })
    await api.createTask(team)
    await stream.has(expected.length)
    expect(stream.seen.map(({ data }) => data.seq)).toEqual(expected)
  })

  test('a number that is not there yet is no reason to miss what comes', async () => {
    verifies('TM-EVENT-7')
    const team = await teamWith(1)
    const stream = await follow(team, { 'last-event-id': '999999999999999' })
    await vi.waitUntil(() => openStreams().then((open) => open > 0), 30_000)
    await api.createTask(team)
    expect((await stream.has(1)).map(({ data }) => data.seq)).toEqual([4])
  })

  test.each(['x', '-1', '1.5', '1e3', '٣', '0x1', '00', '1 2', '9999999999999999', "1' or 1=1"])(
    'a Last-Event-ID of %j is 422',
    async (last) => {
      const team = await api.createTeam()
      const headers = { ...STREAM.headers, 'last-event-id': Buffer.from(last).toString('latin1') }
      const { body } = await api.expectStatus(422, 'GET', `${team}/events`, undefined, { headers })
      expect(body.errors[0].path).toBe('header.last-event-id')
    },
  )

  test('it ends when the team is deleted, and there is none to come back to', async () => {
    const team = await teamWith(1)
    const readers = await Promise.all([1, 2, 3].map(() => follow(team)))
    for (const reader of readers) await reader.has(3)
    await api.expectStatus(204, 'DELETE', team)
    await Promise.all(readers.map(({ ended }) => ended))
    for (const reader of readers) expect(reader.seen).toHaveLength(3)
    await api.expectStatus(404, 'GET', `${team}/events`, undefined, STREAM)
  })

  test('one who leaves is forgotten, and the tasks go on', async () => {
    const team = await teamWith(1)
    const stream = await follow(team)
    await stream.has(3)
    await expect.poll(openStreams).toBeGreaterThan(0)
    stream.leave()
    await expect.poll(openStreams).toBe(0)
    await api.expectStatus(200, 'POST', `${team}/start`)
    const [{ task_id }] = (await api.call('GET', `${team}/tasks`)).body
    await api.until(`${team}/tasks/${task_id}`, 'completed')
  })

  test('a HEAD opens none', async () => {
    const team = await api.createTeam()
    const answer = await api.ask('HEAD', `${team}/events`, undefined, STREAM)
    expect(answer.status).toBe(200)
    expect(await openStreams()).toBe(0)
  })
})

async function openStreams(): Promise<number> {
  const { body } = await api.call('GET', '/metrics')
  return Number(/^teams_streams_open\{.*\} (\d+)$/m.exec(body)?.[1])
}

test('a stream ends with the key that it was opened with', async () => {
  verifies('TM-AUTH-2')
  const keys = createKeys()
  const own = await startTeams({ authentication: keys.authentication })
  onTestFinished(own.close)
  const { body } = await own.expectStatus(
    201,
    'POST',
    '/teams',
    { name: 'x', execution_mode: 'parallel', members: [{ name: 'a' }] },
    { key: TOKEN },
  )
  const url = `${own.url}/teams/${body.team_id}/events`
  const stream = await readEvents(url, { authorization: `Bearer ${TOKEN}` })
  await stream.has(1)
  keys.revokeAll()
  await stream.ended
  expect(stream.types()).toEqual(['team_created'])
})

test('many readers of one team see the same, all of it and in order', async () => {
  verifies('TM-EVENT-7', 'TM-EVENT-9')
  const team = await api.createTeam()
  const readers = await Promise.all(Array.from({ length: 100 }, () => follow(team)))
  await api.expectStatus(200, 'POST', `${team}/start`)
  for (let count = 0; count < 20; count += 1) await api.createTask(team, { assigned_to: 'quick' })
  const { tasks_total } = (await api.call('GET', `${team}/metrics`)).body
  expect(tasks_total).toBe(20)
  const events = 2 + 20 * 4
  for (const reader of readers) {
    await reader.has(events)
    expect(reader.seen.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: events }, (_, index) => index + 1),
    )
  }
})
