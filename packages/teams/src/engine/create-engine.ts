import { CallerError } from '@quire/kit/errors'
import { createEventLog } from '@quire/kit/event-log/event-log'
import { createQueue, type Job, type JobContext, type JobFailure } from '@quire/kit/queue/queue'
import type { NewTeamEvent } from '../team-event.ts'
import type { EventStart, Teams } from '../teams.ts'
import { wakeUp } from './dispatch.ts'
import { endTask } from './end-task.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { type JobPayload, WORK_QUEUE } from './jobs.ts'
import { routeTask } from './route-task.ts'
import { runTask, type Workers } from './run-task.ts'
import { createRuns } from './runs.ts'
import { migrateTables, type TeamSchema } from './tables.ts'
import { createTaskOperations } from './task-operations.ts'
import { findTask } from './task-rows.ts'
import { changeTeam, ENDED_CHANNEL, type EngineStore } from './team-change.ts'
import { createTeamOperations } from './team-operations.ts'

const CONCURRENCY = 16

export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { members, supervisor, logger, concurrency = CONCURRENCY, now = () => new Date() } = options
  await migrateTables(options.store)
  const store = options.store.as<TeamSchema>()
  const log = await createEventLog<NewTeamEvent>(options.store, { name: 'team', now, logger })
  const queue = await createQueue(options.store, { queues: [WORK_QUEUE], logger })
  const engine: EngineStore = { store, queue, log, now }
  const workers: Workers = { engine, members, supervisor, logger }
  const runs = createRuns(store, logger)
  const stopListening = store.listen(ENDED_CHANNEL, runs.ended)
  const operations = createTeamOperations(engine)

  async function work({ id, payload }: Job, { signal }: JobContext): Promise<void> {
    // Written by ourselves.
    const job = payload as JobPayload
    try {
      if (job.kind === 'wake')
        await changeTeam(engine, job.teamId, (change) => wakeUp(engine, change, job.at))
      else
        await runs.during(id, signal, (ended) =>
          (job.kind === 'run' ? runTask : routeTask)(workers, { ...job, jobId: id }, ended),
        )
    } catch (error) {
      // The team was deleted, or the job was ended: there is nothing left to do.
      if (error instanceof CallerError && error.problem.reason === 'not_found') return
      if (runs.wasEnded(error)) return
      throw error
    }
  }

  /** A task that took its process with it again and again, or whose end could not be written for long. */
  async function onFailed({ id, payload }: Job, { error, attempts, tx }: JobFailure): Promise<void> {
    const job = payload as JobPayload
    if (job.kind === 'wake') return
    const db = tx.as<TeamSchema>()
    const row = await findTask(db.db, job.teamId, job.taskId)
    if (row?.job_id !== id) return
    const message = `It was taken up ${attempts} times and never came to an end: ${error}`
    await changeTeam(
      engine,
      job.teamId,
      (change) => endTask(engine, change, row, { status: 'failed', error: { code: 'crashed', message } }),
      db,
    )
  }

  const teams: Teams = Object.freeze({
    ...operations,
    ...createTaskOperations(engine),
    async lastEvents(teamId: string, limit: number) {
      await operations.get(teamId)
      return log.last(teamId, limit)
    },
    async events(teamId: string, from: EventStart, signal: AbortSignal) {
      await operations.get(teamId)
      return log.subscribe(teamId, { ...from, signal })
    },
  })

  return Object.freeze({
    teams,
    start() {
      queue.work(WORK_QUEUE, { concurrency, onFailed }, work)
    },
    drain: (graceMs: number) => queue.close({ graceMs }),
    async close() {
      await queue.close({ graceMs: 0 })
      stopListening()
    },
  } satisfies Engine)
}
