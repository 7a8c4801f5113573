import type { AgentFault } from '@quire/agent/agent-error'
import type { SpentUsage } from '@quire/agent/spent'
import type { Metrics } from '@quire/kit/metrics'
import type { TurnStatus } from './turns.ts'

/** `lost`: nobody knows, since the turn was cut off before the answer was stored. */
export type CallOutcome = 'ok' | 'error' | 'lost'

export type TurnMetrics = ReturnType<typeof createTurnMetrics>

const SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800]

/** What turns come to. Every label has few values: no name of an agent, a model or a tool is among them. */
export function createTurnMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const turns = metrics.counter<'status'>({
    name: 'runtime_turns_total',
    help: 'Turns that ended, by how; "waiting" counts each stop for a decision.',
    labelNames: ['status'],
  })
  const duration = metrics.histogram<'status'>({
    name: 'runtime_turn_duration_seconds',
    help: 'Seconds that turns ran here, from their begin, or from a decision, to their end or the next stop.',
    labelNames: ['status'],
    buckets: SECONDS,
  })
  const tokens = metrics.counter<'kind'>({
    name: 'runtime_tokens_total',
    help: 'Tokens of the models; those of caches are among those of prompts, those of thoughts among those of answers.',
    labelNames: ['kind'],
  })
  const calls = metrics.counter<'outcome'>({
    name: 'runtime_tool_calls_total',
    help: 'Calls of tools, by what came of them.',
    labelNames: ['outcome'],
  })
  const failures = metrics.counter<'fault'>({
    name: 'runtime_model_errors_total',
    help: 'Turns that failed, by what was wrong with the model, its provider or the run.',
    labelNames: ['fault'],
  })

  return Object.freeze({
    /** `seconds` is absent where it ran in another process. */
    ended(status: Exclude<TurnStatus, 'running'>, seconds?: number): void {
      turns.inc({ status })
      if (seconds !== undefined) duration.observe({ status }, seconds)
    },
    spent({ promptTokens, completionTokens, ...some }: SpentUsage): void {
      tokens.inc({ kind: 'prompt' }, promptTokens)
      tokens.inc({ kind: 'completion' }, completionTokens)
      tokens.inc({ kind: 'cache_read' }, some.cacheReadTokens ?? 0)
      tokens.inc({ kind: 'cache_write' }, some.cacheWriteTokens ?? 0)
      tokens.inc({ kind: 'reasoning' }, some.reasoningTokens ?? 0)
    },
    called: (outcome: CallOutcome): void => calls.inc({ outcome }),
    failed: (fault: AgentFault): void => failures.inc({ fault }),
  })
}
