import type { Logger } from '@quire/kit/log'
import type { AgentRecord } from '../agents/agent-record.ts'
import { faultOf } from './turn-error.ts'
import type { TurnStore } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'

export interface NotedTurn {
  readonly turns: Pick<TurnStore, 'metrics'>
  readonly logger: Pick<Logger, 'warn' | 'error'> | undefined
  readonly key: TurnKey
  readonly agent: AgentRecord
}

/** Once for each turn. Without the words of a provider, which may repeat the prompt: whose turn it was reads them with the conversation. */
export function noteFailure({ turns, logger, key, agent }: NotedTurn, error: unknown): void {
  const fault = faultOf(error)
  const { turnId: turn, conversationId: conversation } = key
  const about = { turn, conversation, agent: agent.id, model: agent.model, fault }
  turns.metrics?.failed(fault)
  if (fault === 'internal') logger?.error({ ...about, err: error }, 'a turn failed')
  else logger?.warn(about, 'a turn failed')
}
