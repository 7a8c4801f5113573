import type { ServerRun } from '../server-history-contract.ts'
import type { ServerRun as Run } from '../supervisor/server-history.ts'
import type { ComposerParts } from './parts.ts'

export interface RunSight {
  readonly redactor: Pick<ComposerParts['redactor'], 'text'>
  /** Whether the caller sees the server: otherwise they learn when it ran, and not what it ran into. */
  readonly withReason: boolean
}

export function toServerRun(run: Run, { redactor, withReason }: RunSight): ServerRun {
  return {
    started_at: run.startedAt,
    started_by: run.startedBy,
    ready_at: run.readyAt,
    ended_at: run.endedAt,
    outcome: run.outcome,
    stopped_by: run.stoppedBy,
    ran_seconds: run.ranMs === null ? null : Math.round(run.ranMs / 100) / 10,
    reason: withReason && run.reason !== null ? redactor.text(run.reason) : null,
    exit_code: withReason ? run.exitCode : null,
    signal: withReason ? run.signal : null,
  }
}
