import type { EventEmitter } from 'node:events'
import type { Logger } from '@quire/kit/log'

export interface Stoppable {
  close(): Promise<void>
}

/** The last one comes when the terminal is closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** Longer than any part of a service takes that is in order. */
const CLOSE_DEADLINE_MS = 30_000

/**
 * Waits for SIGTERM, SIGINT or SIGHUP (or for `ended`, such as the end of the input), then closes in an orderly way. A second signal ends at once: the person
 * asked twice. A client that has closed the input sends its first one by itself soon after, which takes no time away from what is being closed.
 */
export async function runUntilSignal(
  service: Stoppable,
  logger: Logger,
  signals: EventEmitter,
  exit: (code: number) => void,
  ended: Promise<void> = new Promise(() => undefined),
): Promise<void> {
  const signalled = new Promise<string>((resolve) => {
    for (const signal of SIGNALS) signals.once(signal, () => resolve(signal))
  })
  await Promise.race([signalled, ended])
  void signalled.then((signal) => {
    for (const next of SIGNALS) signals.on(next, () => exit(1))
    logger.info({ signal }, 'stopping; a second signal ends at once')
  })
  const late = setTimeout(() => {
    logger.error(`not everything could be closed within ${CLOSE_DEADLINE_MS / 1000} s`)
    exit(1)
  }, CLOSE_DEADLINE_MS)
  await service.close()
  clearTimeout(late)
}
