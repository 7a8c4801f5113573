import type { Logger } from '@quire/kit/log'
import type { Metrics } from '@quire/kit/metrics'
import type { Sse } from '@quire/kit/stream/sse'
import type { Census } from './census.ts'
import type { Members } from './members/members.ts'
import { TASK_STATUSES } from './task.ts'
import { TEAM_STATUSES } from './team.ts'

interface Measured {
  readonly census: () => Promise<Census>
  readonly sse: Pick<Sse, 'size'>
  readonly logger: Logger
}

/** What `/metrics` says of teams, beside what it says of requests. Read when somebody asks. */
export function addTeamsMetrics(metrics: Metrics, { census, sse, logger }: Measured): void {
  /** A database that is away takes nothing but these with it. */
  async function count<Kind extends keyof Census>(kind: Kind): Promise<Census[Kind] | undefined> {
    try {
      return (await census())[kind]
    } catch (error) {
      logger.warn({ err: error }, 'teams and tasks could not be counted for the metrics')
      return undefined
    }
  }

  metrics.gauge({
    name: 'teams_teams',
    help: 'Teams, by status.',
    labelNames: ['status'],
    async collect() {
      const teams = await count('teams')
      this.reset()
      if (teams) for (const status of TEAM_STATUSES) this.set({ status }, teams.get(status) ?? 0)
    },
  })
  metrics.gauge({
    name: 'teams_tasks',
    help: 'Tasks, by status.',
    labelNames: ['status'],
    async collect() {
      const tasks = await count('tasks')
      this.reset()
      if (tasks) for (const status of TASK_STATUSES) this.set({ status }, tasks.get(status) ?? 0)
    },
  })
  metrics.gauge({
    name: 'teams_streams_open',
    help: 'Event streams that somebody reads.',
    collect() {
      this.set(sse.size())
    },
  })
}

const BUCKETS = [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600]

/** The same members, whose work is timed. */
export function withDurations(members: Members, metrics: Metrics): Members {
  const duration = metrics.histogram({
    name: 'teams_attempt_duration_seconds',
    help: 'Seconds that a member was at a task in this process, by how that ended: with a result, by a failure, or because it was told to stop.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
  })
  return Object.freeze({
    async *run(work) {
      const startedAt = performance.now()
      let outcome = 'failure'
      try {
        for await (const step of members.run(work)) {
          if (step.result !== undefined) outcome = 'result'
          yield step
        }
      } finally {
        if (outcome === 'failure' && work.signal.aborted) outcome = 'stopped'
        duration.observe({ outcome }, (performance.now() - startedAt) / 1_000)
      }
    },
  } satisfies Members)
}
