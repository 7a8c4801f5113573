import { Task as TaskCodec } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { createApp } from '@quire/kit/app/create-app'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { createLogger } from '@quire/kit/log'
import { serve } from '@quire/kit/serve/serve'
import { createSse } from '@quire/kit/stream/sse'
import { Hono } from 'hono'
import { startProcess } from '../engine/engine.fixture.ts'
import { teamsErrorBody } from '../error-body.ts'
import type { ScriptedAnswer, ScriptedAnswers } from '../members/scripted-model.fixture.ts'
import type { Teams } from '../teams.ts'
import { mountTeamsA2a, type TeamsA2aParts } from './mount-teams-a2a.ts'

/** May do everything. */
const TOKEN = 'adas-access-0123456789abcdef'
/** May look. */
export const READER = 'read-access-0123456789abcdef'
/** May only send. */
export const WRITER = 'send-access-0123456789abcdef'

export interface ServeOptions extends Partial<Pick<TeamsA2aParts, 'publicUrl' | 'waitMs' | 'isStopping'>> {
  /** In front of the real ones. */
  readonly wrap?: (teams: Teams) => Teams
  readonly isOpen?: boolean
}

export type Served = Awaited<ReturnType<typeof serveA2a>>

export const PREFIX = '/apps/crew'

/** A real engine with scripted models, its teams over A2A, on a real port and under a prefix. */
export async function serveA2a(
  script: Readonly<Record<string, ScriptedAnswers>>,
  { wrap = (teams) => teams, isOpen = false, isStopping = () => false, ...options }: ServeOptions = {},
) {
  const engine = await startProcess('sqlite::memory:', { script })
  const log: string[] = []
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => log.push(line) },
  })
  const sse = createSse({ logger })
  const ring = createKeyRing([
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(READER), subject: 'eve', scopes: ['teams:read'] },
    { hash: hashToken(WRITER), subject: 'bob', scopes: ['teams:write'] },
  ])
  const authentication = { realm: 'teams', verify: ring.verify }
  const app = createApp({
    errorBody: teamsErrorBody,
    guards: {},
    logger,
    ...(!isOpen && { authentication }),
  })
  mountTeamsA2a(app, {
    ...options,
    teams: wrap(engine.teams),
    sse,
    logger,
    isStopping,
    version: '1.2.3',
    streamEnd: () => undefined,
  })
  const parent = new Hono().mount(PREFIX, app.fetch)
  const listening = await serve({ fetch: parent.fetch, host: '127.0.0.1', port: 0 })
  const url = `${listening.url}${PREFIX}`
  return {
    ...{ engine, sse, log, url, app },
    connect: (teamId: string, token?: string) => connect(url, teamId, token),
    call(path: string, { as = TOKEN, ...init }: RequestInit & { readonly as?: string | null } = {}) {
      const headers = new Headers(init.headers)
      if (as !== null) headers.set('authorization', `Bearer ${as}`)
      return fetch(url + path, { ...init, headers })
    },
    async close() {
      sse.close()
      await listening.close(0)
      await engine.stop()
    },
  }
}

type Sent = Parameters<Client['sendMessage']>[0]
type Answered = Awaited<ReturnType<Client['sendMessage']>>
type Events = ReturnType<Client['sendMessageStream']>
type TaskOfSdk = Parameters<typeof TaskCodec.toJSON>[0]

/** The client of the SDK, as it finds a team by its card. */
export function connect(url: string, teamId: string, token = TOKEN): Promise<Client> {
  const fetchImpl: typeof fetch = (address, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(address, { ...init, headers })
  }
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(`${url}/teams/${teamId}/a2a/`)
}

export interface Sending {
  readonly contextId?: string
  readonly taskId?: string
  readonly messageId?: string
  readonly refersTo?: readonly string[]
  readonly isImmediate?: boolean
}

export function sending(text: string, sent: Sending = {}): Sent {
  const { contextId = '', taskId = '', messageId = crypto.randomUUID(), refersTo = [] } = sent
  return {
    tenant: '',
    metadata: undefined,
    configuration: {
      returnImmediately: sent.isImmediate ?? false,
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
    },
    message: {
      ...{ messageId, contextId, taskId, role: 1, metadata: undefined, extensions: [] },
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      referenceTaskIds: [...refersTo],
    },
  }
}

export const asking = (id: string) => ({ tenant: '', id, metadata: undefined })

export const LIST = Object.freeze({
  ...{ tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined },
})

export function summary(answer: Answered) {
  if ('messageId' in answer) throw new Error('that is a message, and no task')
  return { id: answer.id, contextId: answer.contextId, ...wordsOf(answer) }
}

/** Each event in a few words, for those too who look before the end. */
export async function collect(events: Events, seen: string[] = []): Promise<string[]> {
  for await (const { payload } of events) {
    if (payload?.$case === 'task') seen.push(`task ${tell(wordsOf(payload.value))}`)
    else if (payload?.$case === 'artifactUpdate')
      seen.push(`result ${textOf(payload.value.artifact?.parts ?? [])}`)
    else if (payload?.$case === 'statusUpdate')
      seen.push(tell(wordsOf({ ...EMPTY, status: payload.value.status })))
  }
  return seen
}

const EMPTY = { id: 'x', contextId: 'x', artifacts: [], history: [], metadata: undefined }

function tell({ state, says, result }: ReturnType<typeof wordsOf>): string {
  return [state, says && `"${says}"`, result].filter(Boolean).join(' ')
}

function wordsOf(task: TaskOfSdk) {
  // The SDK has numbers for the states; its JSON has their names.
  const { status } = TaskCodec.toJSON(task) as { status: { state: string } }
  return {
    state: status.state.replace('TASK_STATE_', '').toLowerCase(),
    says: textOf(task.status?.message?.parts ?? []),
    result: textOf(task.artifacts.flatMap(({ parts }) => parts)),
  }
}

function textOf(parts: TaskOfSdk['artifacts'][number]['parts']): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
}

/** A model that answers when it is let. */
export function held(answer: ScriptedAnswer) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    release: () => resolve(),
    answers: async () => {
      await promise
      return answer
    },
  }
}
