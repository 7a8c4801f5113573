import { AgentError } from '@quire/agent/agent-error'
import type { Models } from '@quire/agent/models'
import { createFailureThrottle } from '@quire/kit/auth/failure-throttle'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { closeAll } from '@quire/kit/close-all'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { serve } from '@quire/kit/serve/serve'
import { openStore } from '@quire/kit/store/store'
import { expect } from 'vitest'
import { createTeams, type TeamsOptions } from './create-teams.ts'
import { createScriptedModels, HANGS } from './members/scripted-model.fixture.ts'
import { SCOPES } from './scopes.ts'

/** Has all scopes. */
export const TOKEN = 'full-access-0123456789abcdef'
/** Has none. */
export const POWERLESS = 'no-access-0123456789abcdef01'
/** Has this one alone. */
export const tokenFor = (scope: string) => `${scope.replace(':', '-')}-0123456789abcdef`

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
  readonly body: any
}

export interface CallOptions {
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Members of which one is done at once, one never, and one always fails. */
export const TEAM = Object.freeze({
  name: 'Writers',
  execution_mode: 'parallel',
  members: [
    { name: 'quick', model: 'scripted:quick', system_prompt: 'You are quick.' },
    { name: 'slow', model: 'scripted:slow' },
    { name: 'broken', model: 'scripted:broken' },
  ],
})

/** The whole service on a real port and a real database, with models that say what they are told to. */
export async function startTeams(options: TeamsOptions = {}, url = 'sqlite::memory:') {
  const store = await openStore(url)
  const log: string[] = []
  const redactor = createRedactor()
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    redactor,
    destination: { write: (line) => log.push(line) },
  })
  const scripted = createScriptedModels({
    'scripted:quick': 'Done.',
    'scripted:slow': HANGS,
    'scripted:broken': new AgentError('refused', 'The provider refuses.'),
  })
  const models: Models = {
    ...scripted,
    // As the real ones do, it refuses those that there are not.
    async isPriced(id) {
      await scripted.open(id)
      return false
    },
  }
  const service = await createTeams(
    { version: '1.2.3', defaultModel: 'scripted:quick', guards: {}, ...options },
    { store, models, logger, redactor, metrics: createMetrics({ service: 'teams' }) },
  ).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const listening = await serve({ fetch: service.app.fetch, host: '127.0.0.1', port: 0 })

  function ask(method: string, path: string, body?: unknown, { key, headers }: CallOptions = {}) {
    return fetch(`${listening.url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  async function call(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const response = await ask(method, path, body, options)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  async function expectStatus(status: number, ...request: Parameters<typeof call>): Promise<Answer> {
    const answer = await call(...request)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    return answer
  }

  return {
    service,
    store,
    log,
    ask,
    call,
    expectStatus,
    url: listening.url,
    port: listening.port,
    /** Its path. */
    async createTeam(fields: object = {}): Promise<string> {
      const { body } = await expectStatus(201, 'POST', '/teams', { ...TEAM, ...fields })
      return `/teams/${body.team_id}`
    },
    /** Its path. */
    async createTask(team: string, fields: object = {}): Promise<string> {
      const { body } = await expectStatus(201, 'POST', `${team}/tasks`, { title: 'Count', ...fields })
      return `${team}/tasks/${body.task_id}`
    },
    async until(task: string, status: string): Promise<Answer['body']> {
      await expect
        .poll(async () => (await call('GET', task)).body.status, { timeout: 30_000, interval: 20 })
        .toBe(status)
      return (await call('GET', task)).body
    },
    async close() {
      await listening.close(0)
      await closeAll([service, store])
    },
  }
}

/** Keys with one scope each, with all and with none. */
export function createKeys() {
  const keys = [
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(POWERLESS), subject: 'nobody', scopes: [] },
    ...SCOPES.map((scope) => ({ hash: hashToken(tokenFor(scope)), subject: scope, scopes: [scope] })),
  ]
  const ring = createKeyRing(keys)
  return {
    authentication: {
      realm: 'teams',
      verify: ring.verify,
      throttle: createFailureThrottle({ failures: 10_000 }),
    },
    revokeAll: () => ring.replace([]),
  }
}
