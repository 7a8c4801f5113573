import type { Tool } from '@quire/agent/tool'
import { NO_USAGE } from '@quire/agent/usage'
import { CallerError } from '@quire/kit/errors'
import type { AgentRecord, AgentStore } from '../agents/agent-record.ts'
import type { AgentTools } from '../toolsets/agent-tools.ts'
import type { Frame, PlacedFrame } from '../turns/frame.ts'
import type { DecisionRequest, PromptRequest, Turn, TurnResult, Turns } from '../turns/turns.ts'

/** What a turn does, in place of a model. It may wait, call its tools, and ends without `done`, which follows by itself. */
export type Script = (turn: {
  readonly message: string
  readonly tools: readonly Tool[]
  /** Of a turn that goes on after a decision. */
  readonly decision?: DecisionRequest
  readonly signal: AbortSignal
}) => AsyncIterable<Frame>

export interface ScriptedTurns extends Turns {
  readonly prompts: PromptRequest[]
  readonly decisions: DecisionRequest[]
  /** How many readers of frames there are. */
  readers(): number
}

interface Held {
  readonly owner: string
  readonly turn: Turn
  readonly go: (decision: DecisionRequest) => void
  isWaiting(): boolean
}

/** Turns without a model and a store, as far as the routes can tell. */
export function createScriptedTurns(
  agents: Pick<AgentStore, 'find'>,
  agentTools: AgentTools,
  script: () => Script,
): ScriptedTurns {
  const held = new Map<string, Held>()
  const prompts: PromptRequest[] = []
  const decisions: DecisionRequest[] = []
  let readers = 0

  function find(owner: string, conversationId: string): Held {
    const found = held.get(conversationId)
    if (found?.owner === owner) return found
    throw new CallerError('not_found', 'There is no such conversation.')
  }

  function begin(agent: AgentRecord, conversationId: string, request: PromptRequest): Held {
    const frames: PlacedFrame[] = []
    const cancelling = new AbortController()
    const id = `turn-${prompts.length}`
    let result: TurnResult = { status: 'complete', text: '', toolCalls: [], usage: NO_USAGE }
    let isOver = false
    let changed = Promise.withResolvers<void>()
    let running = run()

    async function run(decision?: DecisionRequest): Promise<void> {
      isOver = false
      result = { ...result, status: 'complete' }
      const { signal } = cancelling
      const tools = await agentTools.toolsOf(agent, signal)
      const { message } = request
      for await (const frame of script()({ message, tools, signal, ...(decision && { decision }) }))
        add(frame)
      isOver = true
      add({ type: 'done' })
    }

    function add(frame: Frame): void {
      if (frame.type === 'approval_request') result = { ...result, status: 'waiting' }
      if (frame.type === 'error')
        result = {
          ...result,
          status: 'failed',
          error: { detail: frame.detail, statusCode: frame.status_code },
        }
      frames.push({ id: `${id}.${frames.length}.0`, frame })
      changed.resolve()
      changed = Promise.withResolvers()
    }

    async function* read(signal?: AbortSignal): AsyncGenerator<PlacedFrame> {
      const left = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
      readers += 1
      try {
        for (let place = 0; !signal?.aborted; ) {
          const next = frames[place]
          if (next) place += 1
          // A turn that went on has the `done` of its first part in the middle.
          if (next && (next.frame.type !== 'done' || (isOver && place === frames.length))) yield next
          else if (!next && isOver) return
          else if (!next) await Promise.race([changed.promise, left])
        }
      } finally {
        readers -= 1
      }
    }

    const turn: Turn = {
      id,
      conversationId,
      agent,
      frames: ({ signal } = {}) => read(signal),
      async result() {
        await running
        return result
      },
      async cancel() {
        cancelling.abort()
        await running
      },
    }
    return {
      owner: request.owner,
      turn,
      go: (decision) => {
        running = run(decision)
      },
      isWaiting: () => result.status === 'waiting',
    }
  }

  return {
    prompts,
    decisions,
    readers: () => readers,
    async prompt(request) {
      const agent = await agents.find(request.agentId)
      if (!agent) throw new CallerError('not_found', 'There is no such agent.')
      prompts.push(request)
      const conversationId = request.conversationId ?? `conversation-${prompts.length}`
      const begun = begin(agent, conversationId, request)
      held.set(conversationId, begun)
      return begun.turn
    },
    join: async (owner, conversationId) => find(owner, conversationId).turn,
    cancel: async () => false,
    async decide(decision) {
      const { turn, go, isWaiting } = find(decision.owner, decision.conversationId)
      if (!isWaiting()) throw new CallerError('conflict', 'Nothing waits for a decision.')
      decisions.push(decision)
      if (decision.callId === 'first-of-two') return undefined
      go(decision)
      return turn
    },
    cancelOf: async () => undefined,
    close: async () => undefined,
  }
}
