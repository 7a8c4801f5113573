import { Task as TaskCodec } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'

type Sent = Parameters<Client['sendMessage']>[0]
type Answered = Awaited<ReturnType<Client['sendMessage']>>
type Events = ReturnType<Client['sendMessageStream']>

/** The client of the SDK, as it finds an agent by its card. */
export function connect(url: string, token: string, agent = 'guide'): Promise<Client> {
  return createClient(token, `${url}/a2a/agents/${agent}/`)
}

export function createClient(token: string, address: string): Promise<Client> {
  const fetchImpl: typeof fetch = (address, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(address, { ...init, headers })
  }
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  })
  return factory.createFromUrl(address)
}

const NO_PART = { metadata: undefined, filename: '', mediaType: '' }

/** What the client of the SDK sends for a text. */
export function sending(prompt: string, { contextId = '', taskId = '' } = {}): Sent {
  return {
    tenant: '',
    configuration: undefined,
    metadata: undefined,
    message: {
      messageId: crypto.randomUUID(),
      contextId,
      taskId,
      role: 1,
      parts: [{ content: { $case: 'text', value: prompt }, ...NO_PART }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
  }
}

export function answerTo(taskId: string, approvals: readonly object[]): Sent {
  const { message, ...rest } = sending('', { taskId })
  return {
    ...rest,
    message: message && {
      ...message,
      parts: [{ content: { $case: 'data', value: { approvals } }, ...NO_PART }],
    },
  }
}

export function summary(answer: Answered) {
  if ('messageId' in answer) throw new Error('that is a message, and no task')
  const { state } = stateOf(answer)
  return { id: answer.id, contextId: answer.contextId, state, answer: textOf(answer.artifacts) }
}

/** Each event in a few words. */
export async function collect(events: Events): Promise<string[]> {
  const seen: string[] = []
  for await (const { payload } of events) {
    if (payload?.$case === 'task')
      seen.push(
        ['task', stateOf(payload.value).state, textOf(payload.value.artifacts)].filter(Boolean).join(' '),
      )
    else if (payload?.$case === 'artifactUpdate') {
      const { append, artifact } = payload.value
      seen.push(`${append ? 'append' : 'set'} ${textOf(artifact ? [artifact] : [])}`)
    } else if (payload?.$case === 'statusUpdate')
      seen.push(`status ${stateOf({ ...EMPTY, status: payload.value.status }).state}`)
  }
  return seen
}

export function rpc(method: string, params: unknown): object {
  return { jsonrpc: '2.0', id: 'r1', method, params }
}

type TaskOfSdk = Parameters<typeof TaskCodec.toJSON>[0]

const EMPTY = { id: 'x', contextId: 'x', artifacts: [], history: [], metadata: undefined }

/** By its name: the SDK has numbers. */
function stateOf(task: TaskOfSdk): { state: string } {
  const { status } = TaskCodec.toJSON(task) as { status: { state: string } }
  return status
}

function textOf(artifacts: TaskOfSdk['artifacts']): string {
  return artifacts
    .flatMap(({ parts }) => parts)
    .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
    .join('')
}
