/** Tokens of one request to a model, or of many. Those read from and written to a cache are part of the prompt's. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

export const NO_USAGE: Usage = Object.freeze({ promptTokens: 0, completionTokens: 0 })

export function addUsage(one: Usage, other: Usage): Usage {
  const cacheReadTokens = sum(one.cacheReadTokens, other.cacheReadTokens)
  const cacheWriteTokens = sum(one.cacheWriteTokens, other.cacheWriteTokens)
  const reasoningTokens = sum(one.reasoningTokens, other.reasoningTokens)
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0)
}
