import type { RateLimits } from '@quire/kit/rate-limit/rate-limits'

/** Stands for all operations that put a prompt to an agent, which then share one count. */
export const PROMPT = 'prompt'

/** Whoever is limited at one of them could go to another. */
export const PROMPTING = Object.freeze([
  'promptAgent',
  'promptAgentSync',
  'chatMcpUi',
  'streamMcpUi',
  'promptA2ui',
  'agUiRun',
  'vercelAiChat',
  'a2aCall',
])

/** The limit of all prompts, at each operation that has none of its own. */
export function withPromptLimit(limits: RateLimits): RateLimits {
  const policy = limits.get(PROMPT)
  return policy === undefined
    ? limits
    : new Map([...PROMPTING.map((name) => [name, policy] as const), ...limits])
}
