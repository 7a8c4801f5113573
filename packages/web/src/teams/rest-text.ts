import { toGrouped } from './numbers.ts'

/** The most that the service gives at once, and the most that a board shows. */
export const MOST_TASKS = 1_000

/** What a board does not show. The two numbers are asked for apart: below the most, a difference is one of time alone. */
export function toRestText(shown: number, total: number): string | undefined {
  if (shown < MOST_TASKS || total <= shown) return undefined
  return `The board shows the newest ${toGrouped(shown)} of ${toGrouped(total)} tasks; its columns count these.`
}
