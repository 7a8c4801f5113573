import type { Logger } from '@quire/kit/log'
import type { TeamStore } from './tables.ts'

/** The jobs that this process runs, so that one that was ended elsewhere stops at once and not only when its lease is looked at. */
export interface Runs {
  /** Runs the work with a signal that is aborted with the given one, and when the job is ended. */
  during<Result>(
    jobId: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
  /** A job was ended; null: some may have been. */
  ended(jobId: string | null): void
  wasEnded(error: unknown): boolean
}

class RunEnded extends Error {
  override readonly name = 'RunEnded'
}

export function createRuns(store: TeamStore, logger: Pick<Logger, 'warn'>): Runs {
  const running = new Map<string, AbortController>()

  /** On SQLite other processes only say that something was written. */
  async function look(): Promise<void> {
    const ids = [...running.keys()]
    if (ids.length === 0) return
    const rows = await store.db.selectFrom('team_task').select('job_id').where('job_id', 'in', ids).execute()
    const left = new Set(rows.map(({ job_id }) => job_id))
    for (const id of ids) if (!left.has(id)) running.get(id)?.abort(new RunEnded())
  }

  return Object.freeze({
    async during<Result>(jobId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>) {
      const control = new AbortController()
      running.set(jobId, control)
      try {
        return await work(AbortSignal.any([signal, control.signal]))
      } finally {
        running.delete(jobId)
      }
    },
    ended(jobId: string | null) {
      if (jobId !== null) running.get(jobId)?.abort(new RunEnded())
      else
        look().catch((error) =>
          logger.warn({ err: error }, 'it could not be seen which tasks were ended elsewhere'),
        )
    },
    wasEnded: (error: unknown) => error instanceof RunEnded,
  })
}
