import type { Clock } from '@quire/mcp/connection/clock'

/** `config`: the configuration was applied. `request`: somebody asked for it. `call`: a call needed it. `retry`: of our own accord, after an end that was not asked for. */
export const STARTED_BY = ['config', 'request', 'call', 'retry'] as const
export type StartedBy = (typeof STARTED_BY)[number]
export type StoppedBy = Extract<StartedBy, 'config' | 'request'>

/** `exited`: of its own accord and well. `idle`: nobody used it, so it was put to sleep. */
export const RUN_OUTCOMES = ['starting', 'running', 'stopped', 'exited', 'failed', 'idle'] as const
export type RunOutcome = (typeof RUN_OUTCOMES)[number]

/** One generation of a server, from its start to its end. */
export interface ServerRun {
  /** ISO 8601, like all of them. */
  readonly startedAt: string
  readonly startedBy: StartedBy
  /** Null: it was never ready. */
  readonly readyAt: string | null
  /** Null: it goes on. */
  readonly endedAt: string | null
  readonly outcome: RunOutcome
  /** Of one that was stopped. */
  readonly stoppedBy: StoppedBy | null
  /** From when it was ready until its end, or until now. */
  readonly ranMs: number | null
  readonly reason: string | null
  readonly exitCode: number | null
  readonly signal: string | null
}

export type RunEnd = Pick<ServerRun, 'outcome'> &
  Partial<Pick<ServerRun, 'stoppedBy' | 'reason' | 'exitCode' | 'signal'>>

export interface ServerHistory {
  started(by: StartedBy): void
  ready(): void
  /** Nothing happens where the last one has ended already. */
  ended(end: RunEnd): void
  /** The newest first. */
  runs(): readonly ServerRun[]
}

export const MOST_RUNS = 50

/** How a server fared lately. */
export function createServerHistory(clock: Clock): ServerHistory {
  let past: readonly ServerRun[] = []
  let current: ServerRun | undefined
  let readyAt: number | undefined

  const ranMs = () => (readyAt === undefined ? null : clock.now() - readyAt)

  function ended({ stoppedBy = null, reason = null, exitCode = null, signal = null, outcome }: RunEnd): void {
    if (!current) return
    const end = { endedAt: timestamp(), ranMs: ranMs(), outcome, stoppedBy, reason, exitCode, signal }
    past = [Object.freeze({ ...current, ...end }), ...past].slice(0, MOST_RUNS)
    current = undefined
  }

  return Object.freeze<ServerHistory>({
    started(startedBy) {
      readyAt = undefined
      current = { ...NEW, startedAt: timestamp(), startedBy }
    },
    ready() {
      readyAt = clock.now()
      if (current) current = { ...current, readyAt: timestamp(), outcome: 'running' }
    },
    ended,
    runs: () => (current ? [{ ...current, ranMs: ranMs() }, ...past].slice(0, MOST_RUNS) : past),
  })
}

const NEW = {
  readyAt: null,
  endedAt: null,
  outcome: 'starting',
  stoppedBy: null,
  ranMs: null,
  reason: null,
  exitCode: null,
  signal: null,
} as const

function timestamp(): string {
  return new Date().toISOString()
}
