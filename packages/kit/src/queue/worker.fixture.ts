import { setTimeout as delay } from 'node:timers/promises'
import { openStore } from '../store/store.ts'
import { createQueue } from './queue.ts'

/** A worker to be killed in the middle of its jobs. Arguments: address, lease. Writes the id of each job that it begins. */
const [url = '', leaseMs = '0'] = process.argv.slice(2)
const store = await openStore(url)
const queue = await createQueue(store, { queues: ['tasks'], leaseMs: Number(leaseMs) })

queue.work('tasks', { concurrency: 4 }, async (job) => {
  process.stdout.write(`${job.id}\n`)
  await delay(job.priority === 0 ? 60_000 : 1)
})
