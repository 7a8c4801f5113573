import type { TokenUsage } from '@ag-ui/core'
import type { SpentUsage } from '@quire/agent/spent'

/** Of this run alone: one that goes on where another stopped does not report what that one used. */
export function toUsage(model: string, usage: SpentUsage, spent?: SpentUsage): TokenUsage {
  const colon = model.indexOf(':')
  const since = (key: Exclude<keyof SpentUsage, 'cost'>) =>
    Math.max(0, (usage[key] ?? 0) - (spent?.[key] ?? 0))
  const inputTokens = since('promptTokens')
  const outputTokens = since('completionTokens')
  return {
    provider: model.slice(0, colon),
    model: model.slice(colon + 1),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(usage.reasoningTokens !== undefined && { reasoningTokens: since('reasoningTokens') }),
    ...(usage.cacheReadTokens !== undefined && { cachedInputTokens: since('cacheReadTokens') }),
    ...(usage.cacheWriteTokens !== undefined && { cacheWriteInputTokens: since('cacheWriteTokens') }),
  }
}
