import { CallerError } from '@quire/kit/errors'
import type {
  ConversationRecord,
  Conversations,
  LastTurn,
  StoredMessage,
} from '../conversations/conversation.ts'
import { createOpenCalls } from '../conversations/message-pages.ts'
import type { Frame, PlacedFrame } from '../turns/frame.ts'
import type { DecisionRequest, PromptRequest, Turn, TurnResult, Turns } from '../turns/turns.ts'

export const NO_TURN: TurnResult = {
  status: 'complete',
  text: 'Hello.',
  toolCalls: [],
  usage: { promptTokens: 3, completionTokens: 2 },
}

/** A turn whose frames come when the test says so. */
export interface ScriptedTurn extends Turn {
  send(...frames: readonly Frame[]): void
  /** After this nothing more comes. */
  end(result?: TurnResult): void
  readonly isCancelled: () => boolean
}

/** Turns and conversations without a model or a database: the test plays them. */
export function createScriptedTurns() {
  const prompts: PromptRequest[] = []
  const decisions: DecisionRequest[] = []
  const cancelledAgents: string[] = []
  const records = new Map<string, ConversationRecord>()
  const messages = new Map<string, readonly StoredMessage[]>()
  const lastTurns = new Map<string, Pick<LastTurn, 'error' | 'pending'>>()
  const turns = new Map<string, ScriptedTurn>()
  const state: {
    onPrompt: (turn: ScriptedTurn, request: PromptRequest) => void
    prompt?: CallerError | Error
    decide: 'running' | 'waiting' | CallerError
  } = { onPrompt: (turn) => turn.end(), decide: 'running' }

  const port: Turns = {
    async prompt(request) {
      prompts.push(request)
      if (state.prompt) throw state.prompt
      if (request.agentId === 'nobody') throw new CallerError('not_found', 'There is no agent "nobody".')
      const conversationId = request.conversationId ?? `conversation-${records.size + 1}`
      const turn = createScriptedTurn(`turn-${prompts.length}`, conversationId, (status) =>
        note(conversationId, request, status),
      )
      turns.set(conversationId, turn)
      note(conversationId, request, 'running')
      state.onPrompt(turn, request)
      return turn
    },
    join: async (_owner, id) => turns.get(id),
    find: async (_owner, id) => turns.get(id),
    async cancel(_owner, id) {
      const isRunning = records.get(id)?.status === 'running'
      await turns.get(id)?.cancel()
      return isRunning ? 'cancelled' : 'none'
    },
    async decide(request) {
      decisions.push(request)
      if (state.decide instanceof CallerError) throw state.decide
      return state.decide === 'running' ? turns.get(request.conversationId) : undefined
    },
    async cancelOf(agentId) {
      cancelledAgents.push(agentId)
    },
    close: async () => undefined,
  }

  function note(id: string, { owner, agentId }: PromptRequest, status: ConversationRecord['status']): void {
    const at = '2026-01-01T00:00:00.000Z'
    const usage = { promptTokens: 3, completionTokens: 2, cost: 0.5 }
    records.set(id, { id, owner, agentId, title: 'Hello', createdAt: at, updatedAt: at, status, usage })
  }

  const conversations: Conversations = {
    async list({ owner, agentId, status, limit, offset = 0 }) {
      const all = [...records.values()].filter(
        (one) =>
          one.owner === owner &&
          one.agentId === (agentId ?? one.agentId) &&
          one.status === (status ?? one.status),
      )
      return { conversations: all.slice(offset, limit && offset + limit), total: all.length }
    },
    async find(owner, id) {
      const found = records.get(id)
      return found?.owner === owner ? found : undefined
    },
    async *messages(id) {
      yield { messages: messages.get(id) ?? [], lastNumber: 0, isLast: true }
    },
    agentIds: async (owner) =>
      [...records.values()].filter((one) => one.owner === owner).map(({ agentId }) => agentId),
    async lastTurn(id) {
      const calls = createOpenCalls()
      for (const { message } of messages.get(id) ?? []) calls.take(message)
      return { pending: [], ...lastTurns.get(id), unanswered: calls.ids(), lastNumber: undefined }
    },
    remove: async (_owner, id) => records.delete(id),
    removeUnusedSince: async () => 0,
  }

  return {
    port,
    conversations,
    prompts,
    decisions,
    cancelledAgents,
    records,
    messages,
    lastTurns,
    turns,
    state,
  }
}

function createScriptedTurn(
  id: string,
  conversationId: string,
  become: (status: ConversationRecord['status']) => void,
): ScriptedTurn {
  const sent: PlacedFrame[] = []
  const result = Promise.withResolvers<TurnResult>()
  let isOver = false
  let isCancelled = false
  let changed = Promise.withResolvers<void>()

  function change(): void {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }

  function end(outcome: TurnResult = NO_TURN): void {
    if (isOver) return
    isOver = true
    become(outcome.status === 'complete' ? 'idle' : outcome.status)
    result.resolve(outcome)
    change()
  }

  return {
    id,
    conversationId,
    agent: AGENT,
    async *frames({ after, signal } = {}) {
      let next = after === undefined ? 0 : sent.findIndex((one) => one.id === after) + 1
      const gone = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
      while (!signal?.aborted) {
        for (; next < sent.length; next += 1) {
          const frame = sent[next]
          if (frame) yield frame
        }
        if (isOver) return
        await Promise.race([changed.promise, gone])
      }
    },
    result: () => result.promise,
    async cancel() {
      isCancelled = true
      end({ ...NO_TURN, status: 'cancelled' })
    },
    send(...frames) {
      for (const frame of frames) sent.push({ id: `${id}.${sent.length + 1}.0`, frame })
      change()
    },
    end,
    isCancelled: () => isCancelled,
  }
}

const AGENT = Object.freeze({
  id: 'guide',
  name: 'Guide',
  description: '',
  transport: 'streaming',
  model: 'builtin:guide',
  systemPrompt: '',
  mcpToolsets: [],
  maxSteps: 20,
  toolApproval: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})
