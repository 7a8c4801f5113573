import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '@quire/agent/agent-error'
import { addSpent, NOTHING_SPENT, type SpentUsage } from '@quire/agent/spent'
import type { AgentAddress } from './agent-address.ts'
import type { BudgetGate } from './members.ts'
import type { RemoteConversation } from './remote-conversation.ts'
import { garbled, refused, unreachable } from './remote-failures.ts'
import type { Frame } from './remote-frames.ts'
import {
  answerIn,
  answerTo,
  fromUsage,
  GO_ON,
  type RemoteState,
  spentIn,
  wholeOf,
  withoutLastTurn,
} from './remote-state.ts'

export interface AgentAnswer {
  readonly text: string
  readonly spent: SpentUsage
  /** Why the text is not the whole answer. */
  readonly error?: AgentError
}

export interface AgentQuestion {
  readonly address: AgentAddress
  readonly conversation: RemoteConversation
  /** All that was asked in this conversation. The last is to be answered now. */
  readonly prompts: readonly string[]
  readonly gate: BudgetGate
  readonly signal: AbortSignal
  /** Before the first repetition; twice as long before each further one, within limits. */
  readonly pauseMs: number
}

const MOST_FAILURES = 8
/** In pauses of the first length. */
const LONGEST_PAUSE = 16
const MOST_TIMES_GOING_ON = 3
const MOST_CHARACTERS = 4_000_000

/**
 * Looks at the conversation first: a prompt that is there already is not sent again, but its answer taken, joined, or asked to be gone on with. So it is
 * after a crash, and whenever the connection was lost.
 */
export async function askAgent(question: AgentQuestion): Promise<AgentAnswer> {
  const { address, conversation, prompts, gate, signal, pauseMs } = question
  let mayRun = false
  let timesGoneOn = 0
  let loss: AgentError | undefined
  /** How the turn failed whose frames were read. */
  let failed: AgentAnswer | undefined

  try {
    for (let failures = 0; failures <= MOST_FAILURES; failures += 1) {
      if (failures > 0)
        await delay(pauseMs * Math.min(2 ** (failures - 1), LONGEST_PAUSE), undefined, { signal })
      const answer = await lookAndAsk().catch(keepLoss)
      if (answer !== undefined) return answer
    }
    throw loss ?? unreachable(address)
  } catch (error) {
    if (mayRun) await conversation.cancel()
    throw signal.aborted ? signal.reason : error
  }

  function keepLoss(error: unknown): undefined {
    if (signal.aborted || !(error instanceof AgentError && error.isRetryable)) throw error
    loss = error
  }

  /** Undefined: the turn did not end well, or its frames were lost. The conversation tells what became of it. */
  async function lookAndAsk(): Promise<AgentAnswer | undefined> {
    const state = await conversation.look()
    const found = state && answerTo(state, prompts)
    if (state === undefined || found === undefined) return read(await prompt(textFor(state)), NOTHING_SPENT)
    const { messages, isLast } = found
    const spent = spentIn(messages)
    const status = isLast ? state.status : 'idle'
    mayRun = status === 'running' || status === 'waiting'
    switch (status) {
      case 'idle':
        return { text: answerIn(messages), spent }
      case 'running':
        return read(conversation.join(), spentIn(withoutLastTurn(messages)))
      case 'failed':
        return failed ?? { text: '', spent, error: refused(address, 500, 'its last turn failed.') }
      case 'waiting':
        throw waits(address)
      case 'cancelled':
      case 'interrupted':
        timesGoneOn += 1
        if (timesGoneOn > MOST_TIMES_GOING_ON) throw interrupted(address)
        return read(await prompt(GO_ON), spent)
    }
  }

  async function prompt(text: string): Promise<AsyncIterable<Frame>> {
    await gate.check()
    signal.throwIfAborted()
    mayRun = true
    return conversation.prompt(text)
  }

  /** A conversation that was removed there does not know what went before. */
  function textFor(state: RemoteState | undefined): string {
    return state === undefined ? wholeOf(prompts) : (prompts.at(-1) ?? '')
  }

  async function read(frames: AsyncIterable<Frame>, before: SpentUsage): Promise<AgentAnswer | undefined> {
    let text = ''
    let characters = 0
    let spent = before
    let error: AgentError | undefined
    for await (const frame of frames) {
      if (frame.type === 'text') {
        characters += frame.content.length
        if (characters > MOST_CHARACTERS)
          throw garbled(address, `wrote more than ${MOST_CHARACTERS} characters`)
        text += frame.content
      } else if (frame.type === 'tool_call' || frame.type === 'tool_result') text = ''
      else if (frame.type === 'approval_request') throw waits(address)
      else if (frame.type === 'usage') spent = addSpent(spent, fromUsage(frame))
      else if (frame.type === 'error') error = refused(address, frame.status_code, frame.detail)
      else if (error === undefined) {
        mayRun = false
        return { text, spent }
      }
    }
    failed = error && { text, spent, error }
    return undefined
  }
}

function interrupted({ name }: AgentAddress): AgentError {
  return new AgentError(
    'unavailable',
    `${name} was interrupted again each time it was asked to go on. See that its runtime stays up.`,
  )
}

function waits({ name }: AgentAddress): AgentError {
  return new AgentError(
    'refused',
    `${name} waits for a person to decide on a tool call, which nobody can in a team. Turn its tool_approval off, or give the task to another.`,
  )
}
