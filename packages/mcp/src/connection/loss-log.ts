import type { Logger } from '@quire/kit/log'
import type { Clock } from './clock.ts'
import { type ConnectionError, plainReason } from './errors.ts'
import type { Target } from './target.ts'

export interface LossLogOptions {
  readonly server: string
  readonly type: Target['type']
  readonly logger: Logger
  readonly clock: Pick<Clock, 'now'>
}

export interface LossLog {
  up(): void
  /** `failures`: in a row; a connection that had been stable begins anew with 1. */
  lost(error: ConnectionError, failures: number): void
}

const AGAIN_MS = 3_600_000
const LONGEST_REASON = 500

/** A server that stays away, or comes and goes, is told of once, and again every hour. All of it is there at the level `debug`. */
export function createLossLog({ server, type, logger, clock }: LossLogOptions): LossLog {
  const neverUp = `an MCP server could not be ${type === 'stdio' ? 'started' : 'reached'}`
  let wasUp = false
  let told: { readonly at: number; readonly wasUp: boolean; isOver: boolean } | undefined

  return Object.freeze({
    up() {
      wasUp = true
      if (!told || told.isOver) return
      told.isOver = true
      logger.info({ server }, 'an MCP server is there again')
    },
    lost(error, failures) {
      logger.debug({ server, failures, err: error }, 'an MCP connection ended')
      const isNews = !told || failures === 1 || told.wasUp !== wasUp || clock.now() - told.at >= AGAIN_MS
      if (!isNews) return
      told = { at: clock.now(), wasUp, isOver: false }
      const reason = plainReason(error).slice(0, LONGEST_REASON)
      logger.warn({ server, failures, reason }, wasUp ? 'an MCP connection was lost' : neverUp)
    },
  } satisfies LossLog)
}
