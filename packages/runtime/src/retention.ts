import type { Logger } from '@quire/kit/log'
import type { Conversations } from './conversations/conversation.ts'

export interface RetentionOptions {
  readonly conversations: Pick<Conversations, 'removeUnusedSince'>
  /** Conversations that nobody has used for so long are removed. */
  readonly days: number
  readonly logger: Logger
  readonly now?: () => number
  readonly intervalMs?: number
}

const DAY_MS = 24 * 60 * 60 * 1_000
const HOUR_MS = 60 * 60 * 1_000

/** Looks at once, and every hour. */
export function startRetention(options: RetentionOptions): { close(): Promise<void> } {
  const { conversations, days, logger, now = Date.now, intervalMs = HOUR_MS } = options
  let sweeping: Promise<void> | undefined

  function sweep(): void {
    sweeping ??= removeOld().finally(() => {
      sweeping = undefined
    })
  }

  async function removeOld(): Promise<void> {
    try {
      const count = await conversations.removeUnusedSince(new Date(now() - days * DAY_MS))
      if (count > 0) logger.info({ count, days }, 'removed conversations that nobody has used for so long')
    } catch (error) {
      logger.warn({ err: error }, 'old conversations could not be removed; trying again within the hour')
    }
  }

  sweep()
  const timer = setInterval(sweep, intervalMs).unref()
  return Object.freeze({
    async close() {
      clearInterval(timer)
      await sweeping
    },
  })
}
