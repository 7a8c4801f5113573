import type { EventEmitter } from 'node:events'
import type { Logger } from '@quire/kit/log'

export interface Stoppable {
  close(): Promise<void>
}

/**
 * Waits for SIGTERM or SIGINT, then closes in an orderly way. A second signal ends at once: the person asked twice.
 */
export async function runUntilSignal(
  service: Stoppable,
  logger: Logger,
  signals: EventEmitter,
  exit: (code: number) => void,
): Promise<void> {
  const first = await new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) signals.once(signal, () => resolve(signal))
  })
  for (const signal of ['SIGTERM', 'SIGINT']) signals.on(signal, () => exit(1))
  logger.info({ signal: first }, 'stopping; a second signal ends at once')
  await service.close()
}
