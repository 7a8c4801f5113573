import { PgBoss } from 'pg-boss'
import type { OnMessage, Store } from '../store/store.ts'
import type { QueueSettings } from './queue-settings.ts'

const MINIMAL_LEASE_MS = 10_000
const DAY_SECONDS = 86_400

export type StartedPgBoss = {
  boss: PgBoss
  /** Calls back with the name of a queue that has got a job. */
  listen(onMessage: OnMessage): () => void
}

/** It counts in seconds and grants no lease below ten of them. */
export function toPgBossSettings(settings: QueueSettings): QueueSettings {
  return Object.freeze({
    ...settings,
    leaseMs: Math.max(MINIMAL_LEASE_MS, toSeconds(settings.leaseMs) * 1_000),
  })
}

export async function startPgBoss(store: Store, settings: QueueSettings): Promise<StartedPgBoss> {
  const { logger } = settings
  const { postgres } = store
  if (postgres === undefined) throw new Error('pg-boss needs a store on PostgreSQL.')
  let notifications = ''
  const boss = new PgBoss({
    schedule: false,
    // The one that watches heartbeats; of all processes one at a time does it.
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    maintenanceIntervalSeconds: toSeconds(settings.cleanUpEveryMs),
    useListenNotify: true,
    db: {
      executeSql: postgres.query,
      // Our workers are woken instead of its own, over the one connection that listens already.
      async listen(channel) {
        notifications = channel
        return { close: async () => undefined }
      },
    },
  })
  boss.on('error', (error) => logger?.warn({ err: error }, 'pg-boss failed; it tries again'))
  boss.on('warning', (warning) => logger?.warn({ warning }, 'pg-boss warns'))
  try {
    // Its own lock does not keep two fresh starts apart: the second one creates the schema once more, and dies of it.
    await postgres.withLock('queue.start', async () => {
      await boss.start()
      await prepareQueues(boss, settings)
    })
  } catch (error) {
    await boss.stop({ graceful: false, close: false })
    throw error
  }
  return {
    boss,
    listen: (onMessage) => store.listen(notifications, onMessage),
  }
}

async function prepareQueues(boss: PgBoss, settings: QueueSettings): Promise<void> {
  const options = {
    notify: true,
    heartbeatSeconds: toSeconds(settings.leaseMs),
    // The longest there is: a lease ends by its heartbeat, and waiting jobs are never forgotten.
    expireInSeconds: DAY_SECONDS,
    retentionSeconds: 365 * DAY_SECONDS,
    deleteAfterSeconds: toSeconds(settings.keepFinishedMs),
    retryDelay: 0,
    retryBackoff: false,
  }
  for (const queue of settings.queues) {
    await boss.createQueue(queue, options)
    await boss.updateQueue(queue, options)
    // It remembers the queue from here on, and needs no other connection inside a transaction.
    await boss.findJobs(queue, { id: '00000000-0000-0000-0000-000000000000' })
  }
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
