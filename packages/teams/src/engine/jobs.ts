export const WORK_QUEUE = 'team_work'

export type JobPayload =
  /** Goes on with a task, or asks the supervisor whose it is to be. */
  | { readonly kind: 'run' | 'route'; readonly teamId: string; readonly taskId: string }
  /** Looks whether something can be begun when this time has come, in epoch milliseconds. */
  | { readonly kind: 'wake'; readonly teamId: string; readonly at: number }

/** How often a run that a crash cut short is taken up again: a task that ends the process each time must not do so for ever. */
const CRASHES = 20
export const CRASH_RETRY = Object.freeze({ limit: CRASHES, backoffMs: 500, maxBackoffMs: 10_000 })
