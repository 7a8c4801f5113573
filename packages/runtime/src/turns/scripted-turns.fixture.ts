import { EventEmitter, once } from 'node:events'
import { CallerError } from '@quire/kit/errors'
import type { AgentRecord } from '../agents/agent-record.ts'
import type { ConversationRecord, Conversations, StoredMessage } from '../conversations/conversation.ts'
import type { Frame, PlacedFrame } from './frame.ts'
import type { DecisionRequest, PromptRequest, Turn, TurnResult, Turns } from './turns.ts'

/** A frame, or something to wait for before the next. */
export type Act = Frame | (() => Promise<unknown>)

export interface Scene {
  readonly agent: AgentRecord
  readonly message: string
  readonly signal: AbortSignal
  /** Of what comes after it. */
  readonly decision?: DecisionRequest
}

type Acts = readonly Act[] | ((scene: Scene) => AsyncIterable<Act>)

/** What comes of a prompt: up to its end, or to the decisions that it waits for, and after them. */
export interface Script {
  readonly acts: Acts
  readonly after?: Acts
  readonly end?: {
    readonly status: 'complete' | 'failed' | 'interrupted'
    readonly error?: TurnResult['error']
  }
}

interface Scripted {
  readonly id: string
  readonly agent: AgentRecord
  readonly script: Script
  readonly message: string
  readonly frames: PlacedFrame[]
  readonly pending: Set<string>
  readonly news: EventEmitter
  readonly cancelled: AbortController
  status: 'running' | TurnResult['status']
  error?: TurnResult['error']
  slot: number
}

interface Kept {
  readonly owner: string
  readonly agent: AgentRecord
  readonly turns: Scripted[]
}

const USAGE = { promptTokens: 10, completionTokens: 5, cacheReadTokens: 4 }

/** The port of turns, played by hand: every prompt follows the next script. */
export function createScriptedTurns(
  findAgent: (id: string) => AgentRecord | undefined,
  otherwise: () => Script | undefined = () => undefined,
) {
  const kept = new Map<string, Kept>()
  const scripts: Script[] = []
  const prompts: PromptRequest[] = []
  const decisions: DecisionRequest[] = []
  let count = 0

  function find(owner: string, id: string): Kept | undefined {
    const conversation = kept.get(id)
    return conversation?.owner === owner ? conversation : undefined
  }

  function require(owner: string, id: string): Kept {
    const conversation = find(owner, id)
    if (!conversation) throw new CallerError('not_found', `There is no conversation "${id}".`)
    return conversation
  }

  const turns: Turns = {
    async prompt(request) {
      count += 1
      const { owner, agentId, conversationId = `made-${count}`, message } = request
      const agent = findAgent(agentId)
      if (!agent) throw new CallerError('not_found', `There is no agent "${agentId}".`)
      const conversation = kept.get(conversationId) ?? { owner, agent, turns: [] }
      if (conversation.owner !== owner)
        throw new CallerError('not_found', `There is no conversation "${conversationId}".`)
      if (conversation.agent.id !== agentId)
        throw new CallerError('conflict', 'The conversation is of another agent.')
      if (isOpen(conversation.turns.at(-1)))
        throw new CallerError('conflict', 'A turn of this conversation is under way.')
      const script = scripts.shift() ?? otherwise()
      if (!script) throw new Error('there is no script for this prompt')
      prompts.push(request)
      kept.set(conversationId, conversation)
      const turn: Scripted = {
        id: `t${count}`,
        agent,
        script,
        message,
        frames: [],
        pending: new Set(),
        news: new EventEmitter().setMaxListeners(0),
        cancelled: new AbortController(),
        status: 'running',
        slot: 0,
      }
      conversation.turns.push(turn)
      void play(turn, script.acts)
      return toTurn(turn, conversationId)
    },
    async join(owner, id) {
      const { turns: all } = require(owner, id)
      const last = all.at(-1)
      return last && toTurn(last, id)
    },
    async find(owner, id, turnId) {
      const turn = require(owner, id).turns.find((one) => one.id === turnId)
      return turn && toTurn(turn, id)
    },
    async cancel(owner, id) {
      const last = require(owner, id).turns.at(-1)
      if (!last || !isOpen(last)) return 'none'
      stop(last)
      return 'cancelled'
    },
    async decide(request) {
      const { turns: all } = require(request.owner, request.conversationId)
      const last = all.at(-1)
      if (!last?.pending.delete(request.callId))
        throw new CallerError('conflict', `No call "${request.callId}" waits for a decision.`)
      decisions.push(request)
      if (last.pending.size > 0) return undefined
      last.status = 'running'
      last.slot += 2
      void play(last, last.script.after ?? [], request)
      return toTurn(last, request.conversationId)
    },
    cancelOf: async () => undefined,
    close: async () => undefined,
  }

  const conversations: Pick<Conversations, 'find' | 'messages' | 'agentIds'> = {
    agentIds: async (owner) =>
      [...kept.values()].filter((one) => one.owner === owner).map(({ agent }) => agent.id),
    async find(owner, id) {
      const conversation = find(owner, id)
      return conversation && toRecord(id, conversation)
    },
    async *messages(id, { turnId } = {}) {
      const turns = (kept.get(id)?.turns ?? []).filter((turn) => turn.id === (turnId ?? turn.id))
      yield { messages: turns.flatMap(toMessages), lastNumber: 0, isLast: true }
    },
  }

  return {
    turns,
    conversations,
    prompts,
    decisions,
    /** What the next prompts bring, one each. */
    play: (...next: readonly Script[]) => void scripts.push(...next),
    /** How many follow its last turn. */
    readersOf: (id: string) => kept.get(id)?.turns.at(-1)?.news.listenerCount('news'),
    statusOf: (id: string) => kept.get(id)?.turns.at(-1)?.status,
  }
}

function isOpen(turn: Scripted | undefined): boolean {
  return turn?.status === 'running' || turn?.status === 'waiting'
}

async function play(turn: Scripted, acts: Acts, decision?: DecisionRequest): Promise<void> {
  const { agent, message, cancelled } = turn
  const scene = { agent, message, signal: cancelled.signal, ...(decision && { decision }) }
  let isText = false
  let offset = 0
  for await (const act of typeof acts === 'function' ? acts(scene) : acts) {
    if (typeof act === 'function') await act()
    if (cancelled.signal.aborted) return
    if (typeof act === 'function') continue
    if (act.type !== 'text' || !isText) turn.slot += 1
    isText = act.type === 'text'
    offset = act.type === 'text' ? offset + act.content.length : 0
    if (act.type === 'approval_request') turn.pending.add(act.id)
    if (act.type === 'error') turn.error = { detail: act.detail, statusCode: act.status_code }
    turn.frames.push({ id: `${turn.id}.${turn.slot}.${offset}`, frame: act })
    turn.news.emit('news')
  }
  if (cancelled.signal.aborted) return
  const end = turn.error ? 'failed' : (turn.script.end?.status ?? 'complete')
  turn.status = turn.pending.size > 0 ? 'waiting' : end
  turn.news.emit('news')
}

function stop(turn: Scripted): void {
  turn.status = 'cancelled'
  turn.cancelled.abort()
  turn.news.emit('news')
}

function toTurn(turn: Scripted, conversationId: string): Turn {
  const until = async (isThere: () => boolean, signal?: AbortSignal) => {
    while (!isThere()) await once(turn.news, 'news', signal ? { signal } : {})
  }
  return {
    id: turn.id,
    conversationId,
    agent: turn.agent,
    async *frames({ after, signal } = {}) {
      let index = turn.frames.findIndex(({ id }) => id === after) + 1
      if (after?.endsWith('.end')) index = Number(after.split('.')[1])
      try {
        for (;;) {
          await until(() => index < turn.frames.length || turn.status !== 'running', signal)
          const frame = turn.frames[index]
          if (!frame) break
          yield frame
          index += 1
        }
      } catch (error) {
        if (signal?.aborted) return
        throw error
      }
      const error = turn.script.end?.error
      const place = `${turn.id}.${turn.frames.length}.end`
      if (turn.status === 'failed' && error)
        yield { id: place, frame: { type: 'error', detail: error.detail, status_code: error.statusCode } }
      yield { id: place, frame: { type: 'usage', prompt_tokens: 10, completion_tokens: 5 } }
      yield { id: place, frame: { type: 'done' } }
    },
    async result() {
      await until(() => turn.status !== 'running')
      return toResult(turn)
    },
    async cancel() {
      if (isOpen(turn)) stop(turn)
    },
  }
}

function toResult({ status, frames, script, slot, error = script.end?.error }: Scripted): TurnResult {
  if (status === 'running') throw new Error('a running turn has no result')
  const rounds = frames.some(({ frame }) => frame.type === 'approval_request') && status !== 'waiting' ? 2 : 1
  return {
    status,
    text: textIn(frames),
    toolCalls: [],
    usage: {
      promptTokens: USAGE.promptTokens * rounds,
      completionTokens: USAGE.completionTokens * rounds,
      cacheReadTokens: USAGE.cacheReadTokens * rounds,
    },
    ...(status === 'failed' && error && slot > 0 && { error }),
  }
}

function textIn(frames: readonly PlacedFrame[]): string {
  return frames.map(({ frame }) => (frame.type === 'text' ? frame.content : '')).join('')
}

const TIME = '2026-01-02T03:04:05.000Z'

function toRecord(id: string, { owner, agent, turns }: Kept): ConversationRecord {
  const status = turns.at(-1)?.status ?? 'complete'
  return {
    id,
    owner,
    agentId: agent.id,
    title: '',
    createdAt: TIME,
    updatedAt: TIME,
    status: status === 'complete' ? 'idle' : status,
    usage: USAGE,
  }
}

function toMessages(turn: Scripted): StoredMessage[] {
  const common = { turnId: turn.id, createdAt: TIME }
  const text = textIn(turn.frames)
  return [
    { ...common, id: `${turn.id}-u`, status: 'complete', message: { role: 'user', text: turn.message } },
    {
      ...common,
      id: `${turn.id}-a`,
      status: turn.status === 'complete' ? 'complete' : 'partial',
      message: { role: 'assistant', parts: [{ type: 'text', text }] },
    },
  ]
}
