import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type ModelPeer, startModelPeer } from '@quire/testbed/model-peer/model-peer'
import type { Turn } from '@quire/testbed/model-peer/script'
import { onTestFinished } from 'vitest'
import { AgentError } from '../agent-error.ts'
import type { Clock } from './clock.ts'
import type { Model, ModelEvent, ModelRequest, ToolDeclaration } from './model.ts'
import { createModels, type ModelsOptions } from './models.ts'

/** No message may hold it. */
export const CANARY = 'canary-4f1c9e-secret'

export const GUIDE: Model = {
  id: 'builtin:guide',
  contextWindow: undefined,
  cost: () => undefined,
  async *stream() {},
}

export const TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'add',
    description: 'Adds.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  },
]

export interface TestClock extends Clock {
  readonly waits: number[]
  /** How often the timers that run for so long began anew. */
  refreshes(ms: number): number
  running(): number
  /** The time of the timers that run for so long is over. */
  expire(ms: number): void
}

/** Sleeps no moment, and remembers how long it was asked to. */
export function createTestClock(now = 0): TestClock {
  const waits: number[] = []
  const timers = new Set<{ readonly ms: number; readonly onEnd: () => void }>()
  const refreshed: number[] = []
  return {
    waits,
    now: () => now,
    sleep: async (ms) => void waits.push(ms),
    startTimer(ms, onEnd) {
      const timer = { ms, onEnd }
      timers.add(timer)
      return { refresh: () => void refreshed.push(ms), cancel: () => void timers.delete(timer) }
    },
    refreshes: (ms) => refreshed.filter((one) => one === ms).length,
    running: () => timers.size,
    expire: (ms) => [...timers].filter((timer) => timer.ms === ms).forEach(({ onEnd }) => void onEnd()),
  }
}

export async function startPeer(script: Turn | readonly Turn[]): Promise<ModelPeer> {
  const peer = await startModelPeer(script)
  onTestFinished(() => peer.close())
  return peer
}

/** A server of the test's own, for what no script of the peer does. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${Object(server.address()).port}`
}

export function environmentFor(url: string): Record<string, string> {
  return {
    OPENAI_API_KEY: CANARY,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_COMPATIBLE_API_KEY: CANARY,
    OPENAI_COMPATIBLE_BASE_URL: `${url}/compatible/v1`,
    ANTHROPIC_API_KEY: CANARY,
    ANTHROPIC_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: CANARY,
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
    MISTRAL_API_KEY: CANARY,
    MISTRAL_BASE_URL: `${url}/mistral/v1`,
    GROQ_API_KEY: CANARY,
    GROQ_BASE_URL: `${url}/openai/v1`,
    AWS_BEARER_TOKEN_BEDROCK: CANARY,
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  }
}

/** A model of a provider that is played by the peer. */
export function openAt(peer: ModelPeer, id: string, options: Partial<ModelsOptions> = {}): Promise<Model> {
  const environment = environmentFor(peer.url)
  return createModels({ environment, guide: GUIDE, retries: 0, ...options }).open(id)
}

export function ask(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', text: 'Hello' }],
    tools: [],
    signal: new AbortController().signal,
    ...change,
  }
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

export function textOfEvents(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

/** The failure of a stream, and what came before it. */
export async function failureOf(
  events: AsyncIterable<ModelEvent>,
): Promise<{ error: AgentError; before: ModelEvent[] }> {
  const before: ModelEvent[] = []
  try {
    for await (const event of events) before.push(event)
  } catch (error) {
    if (error instanceof AgentError) return { error, before }
    throw error
  }
  throw new Error('It did not fail.')
}

/** Asks a model of a peer with this script, which has to fail, and never with the key in its words. */
export async function failAt(
  id: string,
  script: Turn | readonly Turn[],
  options: Partial<ModelsOptions> = {},
): Promise<{ peer: ModelPeer; error: AgentError; before: ModelEvent[] }> {
  const peer = await startPeer(script)
  const failure = await failureOf((await openAt(peer, id, options)).stream(ask()))
  const { message, stack, cause } = failure.error
  if (`${message} ${stack} ${String(cause)}`.includes(CANARY)) throw new Error('The failure holds the key.')
  return { peer, ...failure }
}
