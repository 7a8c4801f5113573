import { createHash } from 'node:crypto'
import { AgentError } from '@quire/agent/agent-error'
import type { Logger } from '@quire/kit/log'
import { type AllowedAgents, createAddressReader } from './agent-address.ts'
import { type AgentAnswer, askAgent } from './ask-agent.ts'
import { toPlainText } from './data-block.ts'
import type { BudgetGate } from './members.ts'
import { createRemoteConversation } from './remote-conversation.ts'

export interface RemoteQuestion {
  /** `…/api/v1/agents/{id}`. */
  readonly agentUrl: string
  /** What the conversation there is known by: the same after a crash. */
  readonly id: string
  /** All that was asked so far under this id. The last is to be answered now. */
  readonly prompts: readonly string[]
  readonly gate: BudgetGate
  readonly signal: AbortSignal
}

/** Agents of runtimes elsewhere, over their public API. */
export interface RemoteAgents {
  /** Why this one may not be asked; undefined where it may. */
  refusalOf(agentUrl: string): string | undefined
  /** Throws an `AgentError`, what the gate throws, or the signal's reason. A turn that failed is an answer with an error: it may have cost something. */
  ask(question: RemoteQuestion): Promise<AgentAnswer>
}

export interface RemoteAgentsOptions {
  readonly allowed: readonly AllowedAgents[]
  readonly fetch?: typeof fetch | undefined
  readonly logger?: Pick<Logger, 'debug'> | undefined
  /** A runtime says something every 15 seconds; 60 by default. */
  readonly silenceMs?: number | undefined
  /** Before a lost connection is tried again for the first time; half a second by default. */
  readonly pauseMs?: number | undefined
}

const SILENCE_MS = 60_000
const PAUSE_MS = 500
const CONVERSATION_ID = /^(?!\.+$)[A-Za-z0-9._-]{1,128}$/

export function createRemoteAgents(options: RemoteAgentsOptions): RemoteAgents {
  const { fetch = globalThis.fetch, logger, silenceMs = SILENCE_MS, pauseMs = PAUSE_MS } = options
  const readAddress = createAddressReader(options.allowed)

  return Object.freeze({
    refusalOf(agentUrl: string): string | undefined {
      const address = readAddress(agentUrl)
      return 'refusal' in address ? address.refusal : undefined
    },
    async ask({ agentUrl, id, prompts, gate, signal }: RemoteQuestion): Promise<AgentAnswer> {
      signal.throwIfAborted()
      const address = readAddress(agentUrl)
      if ('refusal' in address) throw new AgentError('refused', address.refusal)
      const conversation = createRemoteConversation({
        address,
        id: toConversationId(id),
        fetch,
        silenceMs,
        signal,
        logger,
      })
      const texts = prompts.map(toPlainText)
      return askAgent({ address, conversation, prompts: texts, gate, signal, pauseMs })
    },
  })
}

function toConversationId(id: string): string {
  return CONVERSATION_ID.test(id) ? id : createHash('sha256').update(id).digest('hex')
}
