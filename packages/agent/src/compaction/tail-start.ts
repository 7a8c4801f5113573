import type { Message } from '../message.ts'

/**
 * Where the last messages begin that fit into so many tokens. A message of the model is not parted from the results of its calls, and the very last
 * one is kept whatever its size.
 */
export function tailStart(
  messages: readonly Message[],
  budget: number,
  tokensOf: (messages: readonly Message[]) => number,
): number {
  let start = messages.length
  let left = budget
  for (let from = messages.length - 1; from >= 0; from -= 1) {
    if (messages[from]?.role === 'tool' && from > 0) continue
    left -= tokensOf(messages.slice(from, start))
    if (left < 0 && start < messages.length) break
    start = from
  }
  return start
}
