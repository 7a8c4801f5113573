import { checkInteger } from './job-request.ts'
import type { QueueLogger, QueueOptions } from './queue.ts'

export type QueueSettings = Readonly<{
  queues: ReadonlySet<string>
  leaseMs: number
  pollMs: number
  keepFinishedMs: number
  cleanUpEveryMs: number
  logger: QueueLogger | undefined
}>

const NAME = /^[a-z][a-z0-9_-]{0,60}$/
const DAY_MS = 86_400_000

export function toQueueSettings(options: QueueOptions): QueueSettings {
  const { queues, logger, leaseMs = 4_000, pollMs = 1_000 } = options
  const { keepFinishedMs = 600_000, cleanUpEveryMs = 60_000 } = options
  for (const name of queues)
    if (!NAME.test(name))
      throw new Error(`A queue's name must match ${NAME.source}, and ${JSON.stringify(name)} does not.`)
  return Object.freeze({
    queues: new Set(queues),
    logger,
    leaseMs: checkInteger('leaseMs', leaseMs, 100, DAY_MS),
    pollMs: checkInteger('pollMs', pollMs, 10, DAY_MS),
    keepFinishedMs: checkInteger('keepFinishedMs', keepFinishedMs, 0, 300 * DAY_MS),
    cleanUpEveryMs: checkInteger('cleanUpEveryMs', cleanUpEveryMs, 10, DAY_MS),
  })
}
