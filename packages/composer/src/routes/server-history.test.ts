import { afterAll, beforeEach, expect, test } from 'vitest'
import { createAccess } from '../access/access.ts'
import type { ServerRun } from '../supervisor/server-history.ts'
import { SECRET, startApi, tokenFor } from './parts.fixture.ts'

const api = await startApi()
afterAll(api.close)

const RUN: ServerRun = {
  startedAt: '2026-11-15T10:00:00.000Z',
  startedBy: 'retry',
  readyAt: '2026-11-15T10:00:01.000Z',
  endedAt: '2026-11-15T10:00:13.345Z',
  outcome: 'failed',
  stoppedBy: null,
  ranMs: 12_345,
  reason: `ended with exit code 3, ${SECRET}`,
  exitCode: 3,
  signal: 'SIGKILL',
}
const SHOWN = {
  started_at: RUN.startedAt,
  started_by: 'retry',
  ready_at: RUN.readyAt,
  ended_at: RUN.endedAt,
  outcome: 'failed',
  stopped_by: null,
  ran_seconds: 12.3,
  reason: 'ended with exit code 3, [redacted]',
  exit_code: 3,
  signal: 'SIGKILL',
}

beforeEach(() => {
  api.servers.alpha.runs = [RUN]
  api.state.view = undefined
})

function restrict(...tools: string[]): void {
  const roles = [{ name: 'default', tools, scopes: [] }]
  api.state.view = createAccess({ enabled: true, roles, rateLimit: undefined }).viewOf(undefined)
}

const historyOf = (id: string, as?: string) =>
  api.call(`/api/v1/servers/${id}/history`, as === undefined ? {} : { as })

test('the runs of a server, without its secrets', async () => {
  expect(await historyOf('alpha', tokenFor('tools:list'))).toMatchObject({
    status: 200,
    body: { runs: [SHOWN] },
  })
  expect((await historyOf('gamma')).body).toEqual({ runs: [] })
})

test('who manages servers without seeing this one learns when it ran, and not why it ended', async () => {
  restrict('beta:*')
  expect((await historyOf('alpha')).body).toEqual({
    runs: [{ ...SHOWN, reason: null, exit_code: null, signal: null }],
  })
})

test('for others there is no such server', async () => {
  restrict('beta:*')
  expect(await historyOf('alpha', tokenFor('tools:list'))).toMatchObject({
    status: 404,
    body: { error_code: 'SERVER_NOT_FOUND' },
  })
  api.state.view = undefined
  expect((await historyOf('nobody')).status).toBe(404)
})
