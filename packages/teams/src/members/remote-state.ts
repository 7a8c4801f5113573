import { addSpent, NOTHING_SPENT, type SpentUsage } from '@quire/agent/spent'
import { z } from 'zod'

const tokens = z.int().nonnegative()

const RemoteUsage = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  cache_read_tokens: tokens.optional(),
  cache_write_tokens: tokens.optional(),
  reasoning_tokens: tokens.optional(),
  cost_usd: z.number().nonnegative().optional(),
})
type RemoteUsage = z.infer<typeof RemoteUsage>

const RemoteMessage = z.object({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  tool_calls: z.array(z.unknown()).optional(),
  usage: RemoteUsage.optional(),
})
type RemoteMessage = z.infer<typeof RemoteMessage>

/** A conversation as a runtime shows it. */
export const RemoteState = z.object({
  status: z.enum(['running', 'idle', 'waiting', 'cancelled', 'failed', 'interrupted']),
  messages: z.array(RemoteMessage),
})
export type RemoteState = z.infer<typeof RemoteState>

export const GO_ON =
  'You were interrupted before your answer was complete. Go on from there. A tool whose result is missing may have run: check before you call it again.'

export interface AnswerSoFar {
  readonly messages: readonly RemoteMessage[]
  /** Nothing else was asked behind it, so the status of the conversation is that of this answer. */
  readonly isLast: boolean
}

/** What has come of the last of these prompts, sent by itself or with all before it; undefined where it was not. Equal ones are told apart by their number. */
export function answerTo({ messages }: RemoteState, prompts: readonly string[]): AnswerSoFar | undefined {
  const last = prompts.at(-1)
  const place = prompts.filter((prompt) => prompt === last).length
  const sent = messages.flatMap(({ role, content }, index) =>
    role === 'user' && content === last ? [index] : [],
  )
  const whole = messages.findIndex(({ role, content }) => role === 'user' && content === wholeOf(prompts))
  const index = sent[place - 1] ?? whole
  if (index === -1) return undefined
  const since = messages.slice(index + 1)
  const next = since.findIndex(({ role, content }) => role === 'user' && content !== GO_ON)
  return next === -1 ? { messages: since, isLast: true } : { messages: since.slice(0, next), isLast: false }
}

/** All prompts in one, for a conversation that knows none of them. */
export function wholeOf(prompts: readonly string[]): string {
  return prompts.join('\n\n')
}

/** What the agent said last, where that is an answer and no call of a tool. */
export function answerIn(messages: readonly RemoteMessage[]): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' && !last.tool_calls?.length ? last.content : ''
}

/** The messages of the last turn left out: whoever reads its frames is told of them there. */
export function withoutLastTurn(messages: readonly RemoteMessage[]): readonly RemoteMessage[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') + 1)
}

export function spentIn(messages: readonly RemoteMessage[]): SpentUsage {
  return messages.reduce((sum, { usage }) => (usage ? addSpent(sum, fromUsage(usage)) : sum), NOTHING_SPENT)
}

export function fromUsage(usage: RemoteUsage): SpentUsage {
  const { cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd } = usage
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    ...(cache_read_tokens !== undefined && { cacheReadTokens: cache_read_tokens }),
    ...(cache_write_tokens !== undefined && { cacheWriteTokens: cache_write_tokens }),
    ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
    ...(cost_usd !== undefined && { cost: cost_usd }),
  }
}
