import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Usage } from '../../usage.ts'

/** Numbers that are nought, or unknown, are left out, except the two that everybody has. */
export function toUsage(given: JsonObject): Usage {
  const cacheReadTokens = detailOf(given.prompt_tokens_details, 'cached_tokens')
  const reasoningTokens = detailOf(given.completion_tokens_details, 'reasoning_tokens')
  return {
    promptTokens: toCount(given.prompt_tokens),
    completionTokens: toCount(given.completion_tokens),
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(reasoningTokens > 0 && { reasoningTokens }),
  }
}

function detailOf(details: JsonValue | undefined, name: string): number {
  return isJsonObject(details) ? toCount(details[name]) : 0
}

function toCount(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
