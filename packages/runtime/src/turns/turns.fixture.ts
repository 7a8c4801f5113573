import type { ModelEvent, ModelRequest } from '@quire/agent/model'
import type { Models } from '@quire/agent/models'
import type { Tool } from '@quire/agent/tool'
import { openStore, type Store } from '@quire/kit/store/store'
import type { AgentRecord } from '../agents/agent-record.ts'
import { createAgentStore } from '../agents/create-agent-store.ts'
import type { Conversations, StoredMessage } from '../conversations/conversation.ts'
import { createConversations } from '../conversations/create-conversations.ts'
import { migrateTables } from '../conversations/tables.ts'
import { createTurns, type TurnsOptions } from './create-turns.ts'
import type { Frame, PlacedFrame } from './frame.ts'
import type { Turn } from './turns.ts'

/** What a model does when it is asked: once for every step of a turn. */
export type Script = (request: ModelRequest) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>

export const AGENT = {
  id: 'writer',
  name: 'Writer',
  description: '',
  transport: 'streaming',
  model: 'scripted:model',
  systemPrompt: 'Write.',
  mcpToolsets: [],
  maxSteps: 8,
  toolApproval: false,
} as const satisfies Omit<AgentRecord, 'createdAt' | 'updatedAt'>

export const says = (text: string): ModelEvent => ({ type: 'text', text })
export const calls = (id: string, name: string, args: unknown = {}): ModelEvent => ({
  type: 'tool_call',
  id,
  name,
  argsText: JSON.stringify(args),
})
export const ends = (promptTokens = 10, completionTokens = 5): ModelEvent => ({
  type: 'finish',
  reason: 'stop',
  usage: { promptTokens, completionTokens },
})

/** A model that costs a cent for each token of its answers. */
export function toModels(script: Script): Models {
  return {
    list: () => [],
    isPriced: async () => true,
    open: async (id) => ({
      id,
      contextWindow: 100_000,
      cost: (usage) => usage.completionTokens / 100,
      async *stream(request) {
        yield* script(request)
      },
    }),
  }
}

export function toolNamed(name: string, execute: Tool['execute']): Tool {
  return { name, description: name, inputSchema: { type: 'object' }, execute }
}

export interface ProcessOptions extends Partial<TurnsOptions> {
  readonly script?: Script
  readonly toolList?: readonly Tool[]
}

export type TestProcess = Awaited<ReturnType<typeof startProcess>>

/** What one process of the service has: a store of its own, and the turns on it. */
export async function startProcess(url: string, options: ProcessOptions = {}) {
  const store: Store = await openStore(url)
  await migrateTables(store)
  const agents = createAgentStore(store)
  if ((await agents.find(AGENT.id)) === undefined) {
    await agents.insert(AGENT)
    await agents.insert({ ...AGENT, id: 'careful', toolApproval: true })
  }
  const { script = () => [says('Hello'), ends()], toolList = [], ...rest } = options
  const turns = createTurns({
    store,
    agents,
    models: toModels(script),
    tools: {
      toolsOf: async ({ needsApproval = false }) => toolList.map((tool) => ({ ...tool, needsApproval })),
    },
    ...rest,
  })
  const conversations = createConversations(store, turns)
  return Object.freeze({
    store,
    agents,
    turns,
    conversations,
    prompt: (message: string, conversationId?: string, agentId: string = AGENT.id) =>
      turns.prompt({ owner: 'ada', agentId, message, conversationId }),
    async stop(graceMs = 0) {
      await turns.close(graceMs)
      await store.close()
    },
  })
}

/** Of a conversation, from all pages. */
export async function allMessages(
  { conversations }: { readonly conversations: Pick<Conversations, 'messages'> },
  id: string,
): Promise<StoredMessage[]> {
  const all: StoredMessage[] = []
  for await (const { messages } of conversations.messages(id)) all.push(...messages)
  return all
}

export async function collect(turn: Turn, after?: string): Promise<PlacedFrame[]> {
  const frames: PlacedFrame[] = []
  for await (const frame of turn.frames({ after })) frames.push(frame)
  return frames
}

/** Frames with texts put together, however they were cut. */
export function merge(placed: readonly PlacedFrame[]): Frame[] {
  const merged: Frame[] = []
  for (const { frame } of placed) {
    const last = merged.at(-1)
    if (frame.type === 'text' && last?.type === 'text')
      merged[merged.length - 1] = { type: 'text', content: last.content + frame.content }
    else merged.push(frame)
  }
  return merged
}

export function typesOf(placed: readonly PlacedFrame[]): string[] {
  return merge(placed).map(({ type }) => type)
}

/** The same numbers for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}
