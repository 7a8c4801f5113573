import type { Conversation } from '@quire/runtime/contract/conversations'
import { readEvents, type StreamEvent } from '../../services/event-stream.ts'
import { RequestFailed, request } from '../../services/request.ts'
import { agentPath, conversationPath } from '../queries.ts'
import type { Frame } from '../types.ts'
import { changeCall, isWaiting, withoutAnswer } from './chat-item.ts'
import { type ChatView, LOADING, type Problem } from './chat-view.ts'
import { createPainter } from './create-painter.ts'
import { fromMessages } from './from-messages.ts'
import { isBehind } from './place.ts'
import { takeFrame } from './take-frame.ts'

export interface ChatOptions {
  readonly agentId: string
  readonly conversationId: string
  /** A turn has begun or ended. */
  readonly onChange: () => void
}

export type Decision =
  | { readonly approved: true; readonly args?: Readonly<Record<string, unknown>> }
  | { readonly approved: false; readonly reason?: string }

export type Chat = ReturnType<typeof createChat>
type Events = AsyncGenerator<StreamEvent, Response>
/** `done`: the turn is over. `nothing`: there was none. `cut`: there is more to come. */
type Reading = 'done' | 'nothing' | 'cut'

const NO_CONTENT = 204
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000

/** One conversation as it is shown: what is stored, and the turn under way, which is joined again whenever the connection is lost. */
export function createChat({ agentId, conversationId, onChange }: ChatOptions) {
  const path = conversationPath(conversationId)
  const painter = createPainter()
  let view = LOADING
  let lastId: string | undefined
  let reader = new AbortController()
  /** Counts what was done by hand: what was read before it is old. */
  let acts = 0

  function show(change: Partial<ChatView>): void {
    view = { ...view, ...change }
    painter.paint()
  }

  async function load(): Promise<void> {
    const { signal } = reader
    const before = acts
    const isOld = () => signal.aborted || acts !== before
    try {
      const conversation = await request<Conversation>('runtime', path, { signal })
      if (isOld()) return
      lastId = undefined
      const { status, error } = conversation
      show({
        items: fromMessages(conversation.messages),
        phase: status === 'running' || status === 'waiting' ? status : 'idle',
        problem: error && { detail: error.detail, status: error.status_code },
        updatedAt: conversation.updated_at,
        isAway: false,
      })
      if (status === 'running') void follow(join())
    } catch (error) {
      if (isOld()) return
      show({ problem: toProblem(error), phase: view.phase === 'loading' ? 'absent' : 'idle' })
    }
  }

  function join(): Events {
    return readEvents('runtime', `${path}/stream`, {
      signal: reader.signal,
      ...(lastId !== undefined && { headers: { 'last-event-id': lastId } }),
    })
  }

  /** Reads a turn to its end, over as many connections as it takes. Throws where a prompt is refused. */
  async function follow(first: Events, isPrompt = false): Promise<void> {
    const { signal } = reader
    let events = first
    const onFailure = (error: unknown): Reading => {
      if (isPrompt && events === first && error instanceof RequestFailed) throw error
      return toReading(error)
    }
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      const before = lastId
      const reading = await read(events).catch(onFailure)
      // It may stand before its end: the connection is not needed any more.
      void events.return(new Response())
      if (signal.aborted) return
      if (reading === 'nothing') return load()
      if (reading === 'done') return end()
      if (lastId !== before) wait = FIRST_WAIT_MS
      show({ isAway: true })
      await pause(wait, signal)
      events = join()
    }
  }

  async function read(events: Events): Promise<Reading> {
    for (;;) {
      const { done, value } = await events.next()
      if (done) return value.status === NO_CONTENT ? 'nothing' : 'cut'
      const frame = JSON.parse(value.data) as Frame
      // Without an id it is about the stream, not about the turn.
      if (value.id === undefined) return 'cut'
      take(value.id, frame)
      if (frame.type === 'done') return 'done'
    }
  }

  function take(id: string, frame: Frame): void {
    const isFirst = !isBehind(id, lastId)
    const items = isFirst ? withoutAnswer(view.items) : view.items
    lastId = id
    if (isFirst) onChange()
    show({
      items: takeFrame(items, frame),
      isAway: false,
      ...(frame.type === 'error' && {
        problem: { detail: frame.detail, status: frame.status_code, retryAfter: frame.retry_after },
      }),
    })
  }

  function end(): void {
    show({ phase: isWaiting(view.items) ? 'waiting' : 'idle', isAway: false })
    onChange()
  }

  /** Everything that is done to a turn by hand: what the service says of it is shown. */
  async function act(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!reader.signal.aborted) show({ problem: toProblem(error) })
    }
  }

  return Object.freeze({
    getView: () => view,
    subscribe: painter.subscribe,
    /** May be called again after `close`. */
    open(isNew: boolean): void {
      reader = new AbortController()
      if (isNew) show({ phase: 'idle' })
      else void load()
    },
    /** The turn goes on without us. */
    close(): void {
      reader.abort()
      painter.stop()
    },
    refresh(): void {
      // What could not be sent stands in the box: there may be nothing to load yet.
      if (view.problem?.unsent !== undefined) return
      if (view.phase === 'idle' || view.phase === 'waiting' || view.phase === 'absent') void load()
    },
    async send(message: string): Promise<void> {
      acts += 1
      const { items } = view
      const at = new Date().toISOString()
      show({
        items: [...items, { kind: 'question', text: message, at }],
        phase: 'running',
        problem: undefined,
      })
      const events = readEvents('runtime', `${agentPath(agentId)}/prompt`, {
        method: 'POST',
        body: { message, conversation_id: conversationId },
        signal: reader.signal,
      })
      try {
        await follow(events, true)
      } catch (error) {
        if (!reader.signal.aborted) show({ items, phase: 'idle', problem: toUnsent(error, message) })
      }
    },
    cancel: () =>
      act(async () => {
        await request('runtime', `${path}/cancel`, { method: 'POST' })
        if (view.phase === 'waiting') await load()
      }),
    decide: (callId: string, decision: Decision) =>
      act(async () => {
        const { status } = await request<{ readonly status: 'running' | 'waiting' }>(
          'runtime',
          `${path}/approvals/${encodeURIComponent(callId)}`,
          { method: 'POST', body: decision },
        )
        acts += 1
        const args = decision.approved && decision.args ? { args: { ...decision.args } } : {}
        const items = changeCall(view.items, callId, { status: 'decided', ...args })
        show({ items, phase: status, problem: undefined })
        if (status === 'running') void follow(join())
      }),
  })
}

/** A connection that was lost comes back; a refusal does not change by itself. */
function toReading(error: unknown): Reading {
  const status = error instanceof RequestFailed ? error.status : 0
  return status >= 400 && status < 500 && status !== 429 ? 'nothing' : 'cut'
}

function toProblem(error: unknown): Problem {
  const detail = error instanceof Error ? error.message : String(error)
  return { detail, status: error instanceof RequestFailed ? error.status : 0 }
}

function toUnsent(error: unknown, unsent: string): Problem {
  const problem = toProblem(error)
  if (problem.status !== 0) return { ...problem, unsent }
  return {
    ...problem,
    unsent,
    detail: 'The server does not answer. Your message was not sent: it is in the box again.',
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
