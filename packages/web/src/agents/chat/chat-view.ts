import type { ChatItem } from './chat-item.ts'

/** Why there is no whole answer, in the service's words. */
export interface Problem {
  readonly detail: string
  readonly status: number
  /** Seconds. */
  readonly retryAfter?: number | undefined
  /** What was never taken by the service: it is put back into the box. */
  readonly unsent?: string | undefined
}

export interface ChatView {
  readonly items: readonly ChatItem[]
  readonly phase: 'loading' | 'absent' | 'idle' | 'running' | 'waiting'
  /** The connection was lost, and is being made again. */
  readonly isAway: boolean
  readonly problem?: Problem | undefined
  /** When the conversation was last used, as far as is shown. */
  readonly updatedAt?: string | undefined
}

export const LOADING: ChatView = Object.freeze({ items: [], phase: 'loading', isAway: false })
