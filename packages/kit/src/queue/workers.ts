import { checkInteger, checkQueue } from './job-request.ts'
import type { JobSource } from './job-source.ts'
import type { CloseOptions, JobHandler, Worker, WorkOptions } from './queue.ts'
import type { QueueSettings } from './queue-settings.ts'
import { createWorker, type RunningWorker } from './worker.ts'

/** The workers of this process. */
export function createWorkers(source: JobSource, { queues, leaseMs, pollMs, logger }: QueueSettings) {
  const workers = new Set<RunningWorker>()
  let isClosed = false

  return Object.freeze({
    work(queue: string, { concurrency = 1, onFailed }: WorkOptions, handler: JobHandler): Worker {
      checkQueue(queue, queues)
      checkInteger('concurrency', concurrency, 1, 1_000)
      if (isClosed) throw new Error('The queue is closed and takes no more workers.')
      const worker = createWorker({ source, queue, concurrency, handler, onFailed, leaseMs, pollMs, logger })
      workers.add(worker)
      return Object.freeze({
        close: (options?: CloseOptions) => worker.close(options).finally(() => workers.delete(worker)),
      })
    },
    /** For a queue, or for all of them. */
    wake(queue: string | null): void {
      for (const worker of workers) if (queue === null || worker.queue === queue) worker.wake()
    },
    cancel(id: string): void {
      for (const worker of workers) worker.cancel(id)
    },
    async close(options?: CloseOptions): Promise<void> {
      isClosed = true
      await Promise.all([...workers].map((worker) => worker.close(options)))
    },
  })
}
