import { setTimeout as delay } from 'node:timers/promises'
import type { AgentError } from '@quire/agent/agent-error'
import type { AgentEvent } from '@quire/agent/event'
import { type Message, type ToolCall, toolCallsOf } from '@quire/agent/message'
import { type Decision, runAgent } from '@quire/agent/run-agent'
import { addSpent, NOTHING_SPENT, type SpentUsage, toSpent } from '@quire/agent/spent'
import type { Logger } from '@quire/kit/log'
import type { TurnItem } from './layout.ts'
import { createLiveTurn, type LiveTurn } from './live-turn.ts'
import { makeRoom, type PreparedRun, prepareRun, type RunInput, type RunSources } from './prepare-run.ts'
import { toLostResults } from './settle-turn.ts'
import { errorOfStatus, isOurFault, toTurnError } from './turn-error.ts'
import { messagesIn, unansweredIn } from './turn-items.ts'
import { TurnLost } from './turn-store.ts'
import { type NewMessage, type TurnKey, toPartial, writeEnd, writeMessage } from './turn-writes.ts'
import type { TurnResult } from './turns.ts'

/** A model or a tool that does not listen to the abort is given up after this. */
const STOP_GRACE_MS = 400
/** Where the store does not take the end of a turn, for as long: then its lease runs out. */
const END_RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const

export interface RunStart extends RunInput {
  /** What the turn has stored before, where it goes on after a decision. */
  readonly items: readonly TurnItem[]
  readonly decisions?: ReadonlyMap<string, Decision>
  /** Of its next message. */
  readonly number: number
  /** Up to now, in the conversation and in this turn. */
  readonly conversationSpent: SpentUsage
  readonly turnSpent: SpentUsage
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
  readonly pending?: readonly ToolCall[]
}

/** Runs a turn whose begin is stored, to an end that is stored, whether or not anybody watches. */
export function runTurn(dependencies: RunDependencies, start: RunStart): TurnRun {
  const { turns, logger } = dependencies
  const { key, agent } = start
  const live = createLiveTurn(key.turnId, start.items)
  const control = new AbortController()
  const added: Message[] = []
  let number = start.number
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
      await conclude(
        control.signal.aborted ? { status: stopping ?? 'interrupted' } : { status: 'failed', error },
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
    const pending: ToolCall[] = []
    let error: AgentError | undefined
    const { decisions } = start
    const run = runAgent({ systemPrompt: system, maxSteps: agent.maxSteps }, messages, {
      model,
      tools,
      signal: control.signal,
      ...(decisions !== undefined && { decisions }),
    })
    for await (const event of run) {
      if (concluding !== undefined) return undefined
      if (event.type === 'text') live.say(event.text)
      else if (event.type === 'message') await take(event, event.usage && toSpent(event.usage, model))
      else if (event.type === 'approval_request') pending.push(event.call)
      else if (event.type === 'error') error = event.error
      else if (event.type === 'done') return toConclusion(event.reason, error, pending)
    }
    return undefined
  }

  function toConclusion(
    reason: Extract<AgentEvent, { type: 'done' }>['reason'],
    error: AgentError | undefined,
    pending: readonly ToolCall[],
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
    const next: NewMessage = { message, status: 'complete', spent: cost }
    if (held !== undefined) await store({ ...held, status: 'partial' })
    held = undefined
    if (message.role === 'assistant' && toolCallsOf(message).length === 0) held = next
    else await store(next)
  }

  async function store(message: NewMessage): Promise<void> {
    if (concluding !== undefined) return
    writing = writeMessage(turns, key, number, message).then(() => keep(message))
    await writing
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
    if (status === 'failed' && isOurFault(error))
      logger?.error({ err: error, turn: key.turnId }, 'a turn failed')
    const messages = status === 'waiting' ? [] : lastMessages(status)
    const outcome = {
      status,
      usage: addSpent(start.turnSpent, spent),
      error: status === 'failed' ? toTurnError(error) : errorOfStatus(status),
    }
    const end = { key, outcome, number, messages, pending, spent: addSpent(start.conversationSpent, spent) }
    for (const wait of [...END_RETRY_MS, undefined]) {
      try {
        await writeEnd(turns, end)
        for (const message of messages) keep(message)
        live.end(outcome, pending)
        return
      } catch (failure) {
        if (failure instanceof TurnLost || live.isOver() || wait === undefined) return lose(failure)
        logger?.warn(
          { err: failure, turn: key.turnId },
          'the end of a turn could not be stored; trying again',
        )
        await delay(wait, undefined, { ref: false })
      }
    }
  }

  function lastMessages(status: TurnResult['status']): NewMessage[] {
    const results = toLostResults(unansweredIn([...messagesIn(start.items), ...added]))
    if (status === 'complete') return held === undefined ? results : [...results, held]
    if (held !== undefined) return [...results, { ...held, status: 'partial' }]
    const text = live.text.after(0)
    return text === '' ? results : [...results, toPartial(text)]
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
    stop(status: 'cancelled' | 'interrupted'): void {
      if (stopping !== undefined || concluding !== undefined) return
      stopping = status
      control.abort()
      stopTimer = setTimeout(() => void conclude({ status }), STOP_GRACE_MS)
    },
    lose: () => lose(),
    isEnding: () => concluding !== undefined,
    number: () => number,
  })
}

function isTooLong(ending: Conclusion | undefined): boolean {
  const { error } = ending ?? {}
  return error instanceof Error && 'fault' in error && error.fault === 'too_long'
}
