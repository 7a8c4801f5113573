import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '@quire/agent/agent-error'
import type { AgentEvent } from '@quire/agent/event'
import { type Message, type ToolCall, toolCallsOf } from '@quire/agent/message'
import { type Decision, runAgent } from '@quire/agent/run-agent'
import { addSpent, NOTHING_SPENT, type SpentUsage, toSpent } from '@quire/agent/spent'
import type { Tool } from '@quire/agent/tool'
import type { Logger } from '@quire/kit/log'
import type { TurnItem } from './layout.ts'
import { createLiveTurn, type LiveTurn } from './live-turn.ts'
import { noteFailure } from './note-failure.ts'
import { makeRoom, type PreparedRun, prepareRun, type RunInput, type RunSources } from './prepare-run.ts'
import { toLostResults } from './settle-turn.ts'
import { definitionOf, withoutChanged } from './tool-definition.ts'
import { errorOfStatus, toTurnError } from './turn-error.ts'
import { messagesIn, unansweredIn } from './turn-items.ts'
import { CancelRequested, TurnLost } from './turn-store.ts'
import {
  type NewMessage,
  type PendingCall,
  type TurnKey,
  toPartial,
  writeEnd,
  writeMessage,
} from './turn-writes.ts'
import type { TurnResult } from './turns.ts'

/** A model or a tool that does not listen to the abort is given up after this. */
const STOP_GRACE_MS = 400
/** What one turn may put down: it is all in memory while it runs, and goes to the model with every step. */
const MOST_BYTES = 16 * 1024 * 1024
/** Where the store does not take the end of a turn, for as long: then its lease runs out. */
const END_RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const

export interface RunStart extends RunInput {
  /** What the turn has stored before, where it goes on after a decision. */
  readonly items: readonly TurnItem[]
  readonly decisions?: ReadonlyMap<string, Decision>
  /** Of the tools that were decided upon, by the id of the call. */
  readonly definitions?: ReadonlyMap<string, string | null>
  /** Of its next message. */
  readonly number: number
  /** Up to now, in the conversation and in this turn. */
  readonly conversationSpent: SpentUsage
  readonly turnSpent: SpentUsage
  /** Of its messages up to now, and of those that the conversation has not counted yet. */
  readonly turnBytes: number
  readonly uncountedBytes: number
}

export interface TurnRun {
  readonly key: TurnKey
  readonly live: LiveTurn
  /** Resolves when the end is stored, or was decided elsewhere. */
  readonly settled: Promise<void>
  stop(status: 'cancelled' | 'interrupted'): void
  /** The turn belongs to this process no more. */
  lose(): void
  /** Its end is being stored. */
  isEnding(): boolean
  /** Of the message under way. */
  number(): number
}

export interface RunDependencies extends RunSources {
  readonly logger: Pick<Logger, 'warn' | 'error'> | undefined
}

type Conclusion = {
  readonly status: TurnResult['status']
  readonly error?: unknown
  readonly pending?: readonly PendingCall[]
}

/** Runs a turn whose begin is stored, to an end that is stored, whether or not anybody watches. */
export function runTurn(dependencies: RunDependencies, start: RunStart): TurnRun {
  const { turns, logger } = dependencies
  const { key, agent } = start
  const live = createLiveTurn(key.turnId, start.items)
  const control = new AbortController()
  const added: Message[] = []
  const startedAt = performance.now()
  let number = start.number
  /** That this run has stored. */
  let bytes = 0
  let spent = NOTHING_SPENT
  /** Nothing is called for it: it is stored together with the end of the turn. */
  let held: NewMessage | undefined
  let stopping: 'cancelled' | 'interrupted' | undefined
  let stopTimer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let concluding: Promise<void> | undefined

  work().catch(lose)

  async function work(): Promise<void> {
    try {
      const prepared = await prepareRun(dependencies, start, control.signal)
      spend(prepared.spent)
      await converse(prepared)
    } catch (error) {
      if (error instanceof CancelRequested) stopping ??= 'cancelled'
      await conclude(
        control.signal.aborted || stopping !== undefined
          ? { status: stopping ?? 'interrupted' }
          : { status: 'failed', error },
      )
    }
  }

  async function converse(prepared: PreparedRun): Promise<void> {
    let ending = await readRun(prepared)
    if (isTooLong(ending) && held === undefined && !control.signal.aborted) {
      const roomier = await makeRoom(dependencies, prepared, [...prepared.messages, ...added], control.signal)
      if (roomier !== undefined) {
        spend(roomier.spent)
        ending = await readRun({ ...prepared, ...roomier })
      }
    }
    if (ending !== undefined) await conclude(ending)
  }

  /** Undefined when the turn was concluded meanwhile. */
  async function readRun({ model, system, tools, messages }: PreparedRun): Promise<Conclusion | undefined> {
    const pending: PendingCall[] = []
    let error: AgentError | undefined
    const { decisions, definitions } = start
    const run = runAgent({ systemPrompt: system, maxSteps: agent.maxSteps }, messages, {
      model,
      tools: withoutChanged(tools, definitions),
      signal: control.signal,
      ...(decisions !== undefined && { decisions }),
    })
    for await (const event of run) {
      if (concluding !== undefined) return undefined
      if (event.type === 'text') live.say(event.text)
      else if (event.type === 'message') await take(event, event.usage && toSpent(event.usage, model))
      else if (event.type === 'approval_request') pending.push(toPending(event.call, tools))
      else if (event.type === 'error') error = event.error
      else if (event.type === 'done') return toConclusion(event.reason, error, pending)
    }
    return undefined
  }

  function toConclusion(
    reason: Extract<AgentEvent, { type: 'done' }>['reason'],
    error: AgentError | undefined,
    pending: readonly PendingCall[],
  ): Conclusion {
    if (reason === 'end') return { status: 'complete' }
    if (reason === 'approval') return { status: 'waiting', pending }
    if (reason === 'aborted') return { status: stopping ?? 'interrupted' }
    return { status: 'failed', error }
  }

  function spend(more: SpentUsage | undefined): void {
    if (more !== undefined) spent = addSpent(spent, more)
  }

  async function take(
    { message }: { readonly message: Message },
    cost: SpentUsage | undefined,
  ): Promise<void> {
    spend(cost)
    if (message.role === 'tool') turns.metrics?.called(message.result.isError ? 'error' : 'ok')
    const next: NewMessage = { message, status: 'complete', spent: cost }
    if (held !== undefined) await store({ ...held, status: 'partial' })
    held = undefined
    if (message.role === 'assistant' && toolCallsOf(message).length === 0) held = next
    else await store(next)
  }

  async function store(message: NewMessage): Promise<void> {
    if (concluding !== undefined) return
    const write = writeMessage(turns, key, number, message)
    writing = write.then((written) => {
      bytes += written.bytes
      keep(message)
    })
    await writing
    if ((await write).isCancelRequested) stop('cancelled')
    else if (start.turnBytes + bytes > MOST_BYTES) throw tooMuch()
  }

  function keep({ message, status }: NewMessage): void {
    number += 1
    added.push(message)
    live.put(message, status)
  }

  function conclude(conclusion: Conclusion): Promise<void> {
    concluding ??= writeConclusion(conclusion)
    return concluding
  }

  async function writeConclusion({ status, error, pending = [] }: Conclusion): Promise<void> {
    clearTimeout(stopTimer)
    // Whoever began to write deals with its failure; here it only has to be over.
    await writing.catch(() => undefined)
    if (live.isOver()) return
    if (error instanceof TurnLost) return lose()
    if (status === 'failed') noteFailure({ turns, logger, key, agent }, error)
    const messages = status === 'waiting' ? [] : lastMessages(status)
    const outcome = {
      status,
      usage: addSpent(start.turnSpent, spent),
      error: status === 'failed' ? toTurnError(error) : errorOfStatus(status),
    }
    const end = {
      key,
      outcome,
      number,
      bytes: start.uncountedBytes + bytes,
      messages,
      pending,
      spent: addSpent(start.conversationSpent, spent),
    }
    for (const wait of [...END_RETRY_MS, undefined]) {
      try {
        await writeEnd(turns, end)
        for (const message of messages) keep(message)
        countEnd(status, messages)
        live.end(outcome, pending)
        return
      } catch (failure) {
        if (failure instanceof CancelRequested) return writeConclusion({ status: 'cancelled' })
        if (failure instanceof TurnLost || live.isOver() || wait === undefined) return lose(failure)
        logger?.warn(
          { err: failure, turn: key.turnId },
          'the end of a turn could not be stored; trying again',
        )
        await delay(wait, undefined, { ref: false })
      }
    }
  }

  function countEnd(status: TurnResult['status'], messages: readonly NewMessage[]): void {
    for (const { message } of messages) if (message.role === 'tool') turns.metrics?.called('lost')
    turns.metrics?.spent(spent)
    turns.metrics?.ended(status, (performance.now() - startedAt) / 1_000)
  }

  function lastMessages(status: TurnResult['status']): NewMessage[] {
    const results = toLostResults(unansweredIn([...messagesIn(start.items), ...added]))
    if (status === 'complete') return held === undefined ? results : [...results, held]
    if (held !== undefined) return [...results, { ...held, status: 'partial' }]
    const text = live.text.whole()
    return text === '' ? results : [...results, toPartial(text)]
  }

  function stop(status: 'cancelled' | 'interrupted'): void {
    if (stopping !== undefined || concluding !== undefined) return
    stopping = status
    control.abort()
    stopTimer = setTimeout(() => void conclude({ status }), STOP_GRACE_MS)
  }

  function lose(cause?: unknown): void {
    if (live.isOver()) return
    logger?.warn(
      { err: cause, turn: key.turnId },
      'a turn was given up: its lease was lost, or its end could not be stored',
    )
    concluding ??= Promise.resolve()
    live.lose()
    control.abort()
  }

  return Object.freeze({
    key,
    live,
    settled: live.ended.then(() => undefined),
    stop,
    lose: () => lose(),
    isEnding: () => concluding !== undefined,
    number: () => number,
  })
}

function toPending(call: ToolCall, tools: readonly Tool[]): PendingCall {
  const tool = tools.find(({ name }) => name === call.name)
  return { ...call, definition: tool && definitionOf(tool) }
}

function tooMuch(): AgentError {
  return new AgentError(
    'too_long',
    `This turn has put down more than ${MOST_BYTES} bytes of messages and results of tools, and was ended. Prompt again, and ask for less at once.`,
  )
}

function isTooLong(ending: Conclusion | undefined): boolean {
  const { error } = ending ?? {}
  return error instanceof Error && 'fault' in error && error.fault === 'too_long'
}
