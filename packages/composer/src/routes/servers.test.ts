import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { SECRET, startApi, tokenFor } from './parts.fixture.ts'
import { failure } from './server.fixture.ts'

const api = await startApi()
afterAll(api.close)
const { alpha, beta, gamma } = api.servers

beforeEach(() => {
  for (const server of [alpha, beta, gamma]) {
    server.startFails = undefined
    server.told.length = 0
  }
  alpha.become('running', { lastError: null })
  beta.become('running')
  gamma.become('stopped', { lastError: null })
  api.recorded.length = 0
})

const post = (path: string) => api.call(`/api/v1/servers/${path}`, { method: 'POST' })

describe('a server', () => {
  test('that runs a command shows all but its secrets', async () => {
    verifies('CO-SERVER-2', 'CO-SERVER-7', 'CO-SERVER-9')
    const { body, text } = await api.call('/api/v1/servers/alpha')
    expect(body).toEqual({
      id: 'alpha',
      name: 'alpha',
      state: 'running',
      transport: 'stdio',
      command: 'node',
      args: [
        'server.js',
        '--token',
        '[redacted]',
        '--no-token',
        '--verbose',
        '--api-key=[redacted]',
        '--note=[redacted]',
      ],
      pid: 4711,
      uptime_seconds: 12.3,
      restart_count: 0,
      last_error: null,
      tools_count: 2,
      prompts_count: 1,
      resources_count: 1,
      auto_start: true,
      retry_in_seconds: null,
      circuit: 'closed',
      failure: null,
    })
    expect(text).not.toContain('value-of-the-environment')
    expect(text).not.toContain('NOTE')
  })

  test('that is reached by an address shows it without credentials', async () => {
    verifies('CO-SERVER-7', 'CO-SERVER-9')
    const { body, text } = await api.call('/api/v1/servers/beta')
    expect(body).toMatchObject({
      transport: 'http',
      url: 'https://[redacted]@example.org/mcp?token=[redacted]',
    })
    expect(body).not.toHaveProperty('command')
    for (const secret of ['pass', SECRET, 'value-of-the-header']) expect(text).not.toContain(secret)
  })

  test.each(['alpha', 'beta'])(
    '%s shows what it runs and where to those alone who manage servers',
    async (id) => {
      const whole = (await api.call(`/api/v1/servers/${id}`)).body
      const { command, args, url, ...rest } = whole
      expect(command ?? url).toBeDefined()
      const as = tokenFor('tools:list')
      expect((await api.call(`/api/v1/servers/${id}`, { as })).body).toEqual(rest)
      const { failure: _, ...listed } = rest
      expect((await api.call('/api/v1/servers', { as })).body.servers).toContainEqual(listed)
      expect((await api.call('/api/v1/servers')).body.servers).toContainEqual({
        ...listed,
        ...(url ? { url } : { command, args }),
      })
    },
  )

  test('shows what it runs after it was started', async () => {
    const as = tokenFor('servers:manage')
    const { body } = await api.call('/api/v1/servers/gamma/start', { method: 'POST', as })
    expect(body.server).toMatchObject({ command: 'python3', args: ['-m', 'gamma'] })
  })

  test('that has failed shows why', async () => {
    verifies('CO-SERVER-7')
    const lastError = failure(`ended with exit code 3, ${SECRET}`, {
      exitCode: 3,
      stderr: ['first', `token=${SECRET}`],
    })
    gamma.become('crashed', { lastError, restartCount: 5, retryInMs: 1_234 })
    const { body } = await api.call('/api/v1/servers/gamma')
    expect(body).toMatchObject({
      state: 'crashed',
      pid: null,
      uptime_seconds: null,
      restart_count: 5,
      retry_in_seconds: 1.2,
      last_error: 'ended with exit code 3, [redacted]',
      failure: {
        reason: 'ended with exit code 3, [redacted]',
        exit_code: 3,
        signal: null,
        stderr: ['first', 'token=[redacted]'],
        at: '2026-11-15T10:00:00.000Z',
      },
    })
  })

  test.each(['starting', 'running', 'stopping', 'stopped', 'crashed'] as const)(
    'may be %s',
    async (state) => {
      verifies('CO-SERVER-8')
      gamma.become(state)
      expect((await api.call('/api/v1/servers/gamma')).body.state).toBe(state)
    },
  )

  test('that is unknown is answered with those that there are', async () => {
    verifies('CO-SERVER-6', 'CO-ERR-4')
    expect(await api.call('/api/v1/servers/omega')).toMatchObject({
      status: 404,
      body: {
        error_code: 'SERVER_NOT_FOUND',
        detail: 'There is no server "omega". Configured: "alpha", "beta", "gamma".',
      },
    })
  })
})

describe('GET /servers', () => {
  test('lists all, in the order of the configuration', async () => {
    verifies('CO-SERVER-1', 'CO-LIST-1')
    const { body } = await api.call('/api/v1/servers')
    expect(body.servers.map(({ id }: { id: string }) => id)).toEqual(['alpha', 'beta', 'gamma'])
    expect(body).toMatchObject({ total: 3, offset: 0, limit: 100 })
    expect(body.servers[0]).not.toHaveProperty('failure')
  })

  test('may be asked for those of a state', async () => {
    const { body } = await api.call('/api/v1/servers?status=stopped&limit=1')
    expect(body).toMatchObject({ servers: [{ id: 'gamma' }], total: 1 })
    expect((await api.call('/api/v1/servers?status=asleep')).status).toBe(400)
  })
})

describe('POST', () => {
  test('start starts a stopped server, and answers when it runs', async () => {
    verifies('CO-SERVER-3', 'CO-SERVER-10')
    expect(await post('gamma/start')).toMatchObject({
      status: 200,
      body: {
        message: 'The server "gamma" is running.',
        server: { id: 'gamma', state: 'running', tools_count: 1 },
      },
    })
    expect(gamma.told).toEqual(['start'])
  })

  test('stop stops a running one', async () => {
    verifies('CO-SERVER-4', 'CO-SERVER-10')
    expect(await post('alpha/stop')).toMatchObject({
      status: 200,
      body: {
        message: 'The server "alpha" is stopped.',
        server: { state: 'stopped', pid: null, tools_count: 0 },
      },
    })
    expect(alpha.status().state).toBe('stopped')
  })

  test('restart restarts one', async () => {
    verifies('CO-SERVER-5', 'CO-SERVER-10')
    expect(await post('alpha/restart')).toMatchObject({
      status: 200,
      body: { message: 'The server "alpha" is running.', server: { state: 'running', restart_count: 1 } },
    })
    expect(alpha.told).toEqual(['restart'])
  })

  test('start of a running server is 400', async () => {
    verifies('CO-SERVER-11', 'CO-ERR-3')
    expect(await post('alpha/start')).toMatchObject({
      status: 400,
      body: { error_code: 'SERVER_ALREADY_RUNNING', detail: expect.stringContaining('alpha') },
    })
  })

  test('stop of a stopped server is 400', async () => {
    verifies('CO-SERVER-12', 'CO-ERR-3')
    expect(await post('gamma/stop')).toMatchObject({
      status: 400,
      body: { error_code: 'SERVER_NOT_RUNNING' },
    })
  })

  test.each(['start', 'restart'])('%s that fails is 500, with the reason', async (action) => {
    verifies('CO-SERVER-13')
    gamma.startFails = 'the program "gamma" was not found'
    expect(await post(`gamma/${action}`)).toMatchObject({
      status: 500,
      body: {
        error_code: 'START_FAILED',
        detail: expect.stringContaining('the program "gamma" was not found'),
      },
    })
  })

  test.each(['start', 'stop', 'restart'])(
    '%s of an unknown server is 404, and touches none',
    async (action) => {
      verifies('CO-SERVER-6')
      expect(await post(`omega/${action}`)).toMatchObject({
        status: 404,
        body: { error_code: 'SERVER_NOT_FOUND' },
      })
      expect([alpha, beta, gamma].flatMap(({ told }) => told)).toEqual([])
    },
  )

  test('is put on record, what fails too', async () => {
    await post('gamma/start')
    await post('gamma/start')
    expect(api.recorded).toMatchObject([
      { subject: 'ada', method: 'servers/start', target: 'gamma', server: 'gamma', outcome: 'ok' },
      { subject: 'ada', method: 'servers/start', target: 'gamma', outcome: 'SERVER_ALREADY_RUNNING' },
    ])
    expect(api.recorded[0]?.requestId).toMatch(/^[0-9a-f-]{36}$/)
  })
})
