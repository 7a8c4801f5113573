import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyStore } from '@quire/kit/auth/issued-keys/key-store'
import { parseRateLimits } from '@quire/kit/rate-limit/rate-limits'
import { openStore } from '@quire/kit/store/store'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTeams, type TeamsOptions } from './create-teams.ts'
import { readEvents } from './routes/event-reader.fixture.ts'
import { startTeams } from './teams.fixture.ts'

const KEY = 'configured-0123456789'

async function start(...options: Parameters<typeof startTeams>) {
  const started = await startTeams(...options)
  onTestFinished(started.close)
  const status = async (path: string, key?: string) =>
    (await started.call('GET', path, undefined, { key })).status
  return { ...started, status }
}

/** As a library user has it: nothing around it. */
async function create(options: TeamsOptions = {}) {
  const service = await createTeams(options)
  onTestFinished(service.close)
  async function call(method: string, path: string, body?: unknown) {
    const request = new Request(`http://localhost${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    const response = await service.app.fetch(request)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { service, call }
}

const GUIDED = { name: 'Guided', execution_mode: 'parallel', members: [{ name: 'a' }, { name: 'b' }] }

describe('with nothing said', () => {
  test('a team does its tasks, without a key, a file or a network', async () => {
    verifies('TM-SVC-5', 'TM-AUTH-1')
    const { call, service } = await create()
    const { body: team } = await call('POST', '/teams', GUIDED)
    expect(team.members[0].model).toBe('builtin:guide')
    await call('POST', `/teams/${team.team_id}/start`)
    const { body: task } = await call('POST', `/teams/${team.team_id}/tasks`, { title: 'help' })
    const path = `/teams/${team.team_id}/tasks/${task.task_id}`
    await expect
      .poll(async () => (await call('GET', path)).body.status, { timeout: 30_000 })
      .toBe('completed')
    expect((await call('GET', path)).body.result).toMatch(/\w/)
    expect(service.isOpen()).toBe(true)
  })

  test('a task that takes more than rules fails at once, and says what to do', async () => {
    verifies('TM-RULE-3')
    const { call } = await create()
    const { body: team } = await call('POST', '/teams', GUIDED)
    await call('POST', `/teams/${team.team_id}/start`)
    const { body: task } = await call('POST', `/teams/${team.team_id}/tasks`, { title: 'Paint the fence' })
    const path = `/teams/${team.team_id}/tasks/${task.task_id}`
    await expect.poll(async () => (await call('GET', path)).body.status, { timeout: 30_000 }).toBe('failed')
    expect((await call('GET', path)).body).toMatchObject({
      attempts: 1,
      result: null,
      error: {
        code: 'refused',
        message: expect.stringMatching(/language model.*Notes on "Paint the fence"/s),
      },
    })
  })

  test('two services in one process know nothing of each other', async () => {
    const [one, other] = [await create(), await create()]
    await one.call('POST', '/teams', GUIDED)
    expect((await other.call('GET', '/teams')).body).toEqual([])
  })
})

test('without autoStart nothing is begun before it is told to', async () => {
  const { call, service } = await create({ autoStart: false })
  const { body: team } = await call('POST', '/teams', GUIDED)
  await call('POST', `/teams/${team.team_id}/start`)
  const { body: task } = await call('POST', `/teams/${team.team_id}/tasks`, { title: 'help' })
  const status = async () => (await call('GET', `/teams/${team.team_id}/tasks/${task.task_id}`)).body.status
  expect(await status()).toBe('assigned')
  service.start()
  service.start()
  await expect.poll(status, { timeout: 30_000 }).toBe('completed')
})

describe('a database of its own', () => {
  test('is there again after a restart, and let go of', async () => {
    verifies('TM-DURABLE-1')
    const folder = await mkdtemp(join(tmpdir(), 'quire-teams-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const database = `sqlite:${join(folder, 'teams.db')}`
    const first = await create({ database })
    const { body: team } = await first.call('POST', '/teams', GUIDED)
    await Promise.all([first.service.close(), first.service.close()])
    const second = await create({ database })
    expect((await second.call('GET', `/teams/${team.team_id}`)).body).toEqual(team)
  })

  test('that was given stays open', async () => {
    const store = await openStore('sqlite::memory:')
    onTestFinished(() => store.close())
    const service = await createTeams({}, { store })
    await service.close()
    await store.ping()
  })
})

describe('who is let in', () => {
  test('everybody, without keys', async () => {
    verifies('TM-AUTH-1')
    const { status, service } = await start()
    expect(await status('/teams')).toBe(200)
    expect(service.isOpen()).toBe(true)
  })

  test('whoever has a key of the configuration', async () => {
    verifies('TM-AUTH-2')
    const { status, service } = await start({ apiKeys: [KEY] })
    expect(service.isOpen()).toBe(false)
    expect(await status('/teams')).toBe(401)
    expect(await status('/teams', `${KEY}x`)).toBe(401)
    expect(await status('/teams', KEY)).toBe(200)
    for (const path of ['/health', '/ready', '/docs', '/redoc', '/openapi.json'])
      expect(await status(path), path).toBe(200)
    expect(await status('/metrics')).toBe(401)
  })

  test('a key that is issued counts at once; one that is revoked no more, and its streams end', async () => {
    verifies('TM-AUTH-2')
    const { status, store, service, createTeam, url } = await start()
    const team = await createTeam()
    const opened = await readEvents(`${url}${team}/events`)
    await opened.has(1)
    const keys = await createKeyStore(store, 'teams')
    const { key, token } = await keys.issue({ name: 'ada', scopes: ['teams:read'] })
    await expect.poll(() => status('/teams')).toBe(401)
    expect(service.isOpen()).toBe(false)
    // It was opened without a key, by somebody who would not be let in now.
    await opened.ended
    expect(await status('/teams', token)).toBe(200)
    const stream = await readEvents(`${url}${team}/events`, { authorization: `Bearer ${token}` })
    await stream.has(1)
    await keys.revoke(key.id)
    await stream.ended
    expect(await status('/teams', token)).toBe(401)
  })

  test('whom a parent lets in', async () => {
    const { call } = await create({ authentication: { realm: 'parent', verify: () => null } })
    expect((await call('GET', '/teams')).status).toBe(401)
  })
})

describe('limits', () => {
  test('are of one operation, and say when to come again', async () => {
    const { ask, status } = await start({ rateLimits: parseRateLimits('listTeams=2/m,default=3/m') })
    expect([await status('/teams'), await status('/teams')]).toEqual([200, 200])
    const refused = await ask('GET', '/teams')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toEqual({ detail: expect.any(String) })
    expect(await status('/health')).toBe(200)
  })

  test('of operations that there are not are refused, with those that there are', async () => {
    const error = await startTeams({ rateLimits: parseRateLimits('createTasks=1/m,health=1/m') }).catch(
      String,
    )
    expect(error).toMatch(
      /--rate-limit \("createTasks"\): is no operation that can be limited: use .*createTask,/,
    )
    expect(error).toMatch(/"health"/)
  })
})

test.each<[TeamsOptions, string]>([
  [{ defaultModel: 'nobody:x' }, '--model'],
  [{ requiredToolsets: ['files'] }, '--require-toolset'],
])('it does not start with %j', async (options, setting) => {
  expect(await startTeams(options).catch(String)).toContain(`ConfigError: ${setting}`)
})

describe('around the API', () => {
  test('health has the version, and ready says why not', async () => {
    const script = 'process.stdin.resume()'
    const target = { type: 'stdio' as const, command: process.execPath, args: ['-e', script], env: {} }
    const toolsets = new Map([['files', target]])
    const { call, store } = await start({ toolsets, requiredToolsets: ['files'], environment: process.env })
    expect((await call('GET', '/health')).body).toEqual({ status: 'healthy', version: '1.2.3' })
    const reason = 'The toolset "files" is not ready.'
    expect(await call('GET', '/ready')).toMatchObject({
      status: 503,
      body: { detail: reason, reasons: [reason] },
    })
    await store.close()
    expect((await call('GET', '/ready')).body.reasons).toContain('The database does not answer.')
    expect((await call('GET', '/health')).status).toBe(200)
  })

  test('it is ready without toolsets', async () => {
    const { call } = await start()
    expect(await call('GET', '/ready')).toMatchObject({ status: 200, body: { status: 'ready' } })
  })

  test('metrics are Prometheus text, of teams, tasks, streams and work', async () => {
    verifies('TM-SVC-11')
    const { call, createTeam, createTask, until, expectStatus } = await start()
    const team = await createTeam()
    await createTeam()
    await expectStatus(200, 'POST', `${team}/start`)
    await until(await createTask(team, { assigned_to: 'quick' }), 'completed')
    await until(await createTask(team, { assigned_to: 'broken' }), 'failed')
    await until(await createTask(team, { assigned_to: 'slow' }), 'in_progress')
    await createTask(team, { assigned_to: 'slow' })
    const { body, headers } = await call('GET', '/metrics')
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    const value = (line: string) => {
      const found = body.split('\n').find((one: string) => one.startsWith(line)) ?? ''
      return Number(found.slice(found.lastIndexOf(' ')))
    }
    expect(value('teams_teams{status="running"')).toBe(1)
    expect(value('teams_teams{status="draft"')).toBe(1)
    expect(value('teams_teams{status="stopped"')).toBe(0)
    expect(value('teams_tasks{status="completed"')).toBe(1)
    expect(value('teams_tasks{status="failed"')).toBe(1)
    expect(value('teams_tasks{status="in_progress"')).toBe(1)
    expect(value('teams_tasks{status="pending"')).toBe(1)
    expect(value('teams_tasks{status="cancelled"')).toBe(0)
    expect(value('teams_streams_open{')).toBe(0)
    const timed = /^teams_attempt_duration_seconds_count\{.*outcome="(?:result|failure)"\} 1$/gm
    await expect.poll(async () => (await call('GET', '/metrics')).body.match(timed) ?? []).toHaveLength(2)
    expect(body).toMatch(/^http_requests_total\{.*service="teams"/m)
  })

  test('metrics of requests are there also without the database', async () => {
    const { call, store } = await start()
    await store.close()
    const { status, body } = await call('GET', '/metrics')
    expect(status).toBe(200)
    expect(body).toMatch(/^http_requests_in_flight/m)
    expect(body).not.toMatch(/^teams_tasks\{/m)
  })

  test('keys for agents elsewhere stay secret', async () => {
    const url = 'http://127.0.0.1:1/api/v1/agents/'
    const { call, expectStatus, createTask, until, log } = await start({
      allowedAgents: [{ url, key: 'canary-0123456789' }],
    })
    const members = [{ name: 'far', agent_url: `${url}guide` }]
    const { body } = await expectStatus(201, 'POST', '/teams', { ...GUIDED, members })
    expect(body.members).toEqual([
      { name: 'far', system_prompt: '', mcp_toolsets: [], agent_url: `${url}guide` },
    ])
    const team = `/teams/${body.team_id}`
    await expectStatus(200, 'POST', `${team}/start`)
    const failed = await until(await createTask(team, { timeout_seconds: 1, max_retries: 0 }), 'failed')
    expect(failed.error.message).toMatch(/\w/)
    const shown = [JSON.stringify(failed), ...log, (await call('GET', `${team}/events`)).body]
    expect(JSON.stringify(shown)).not.toContain('canary')
  })
})

test('when it is told to stop, streams end, and requests are still answered', async () => {
  const { service, createTeam, expectStatus, call, url } = await start()
  const team = await createTeam()
  await expectStatus(200, 'POST', `${team}/start`)
  const stream = await readEvents(`${url}${team}/events`)
  await stream.has(2)
  const drained = service.drain()
  expect((await call('GET', '/ready')).body.reasons).toContain('The service is stopping.')
  await drained
  await stream.ended
  expect(stream.types()).toEqual(['team_created', 'team_started'])
  await expectStatus(201, 'POST', `${team}/tasks`, { title: 'still taken, and done elsewhere' })
})

test('a service that could not be made leaves nothing behind', async () => {
  const store = await openStore('sqlite::memory:')
  const rateLimits = parseRateLimits('nonsense=1/m')
  await expect(createTeams({ rateLimits, apiKeys: [KEY] }, { store })).rejects.toThrow('--rate-limit')
  await store.close()
})
