import { z } from 'zod'
import { RUN_OUTCOMES, STARTED_BY } from './supervisor/server-history.ts'

const HISTORY_EXAMPLE = {
  started_at: '2026-11-15T10:00:00.000Z',
  started_by: 'retry',
  ready_at: '2026-11-15T10:00:01.000Z',
  ended_at: '2026-11-15T10:05:01.000Z',
  outcome: 'failed',
  stopped_by: null,
  ran_seconds: 300,
  reason: 'ended with exit code 3',
  exit_code: 3,
  signal: null,
}

/** One run of a server, from its start to its end. */
export const ServerRun = z.object({
  started_at: z.string(),
  /** `config`: the configuration was applied. `request`: somebody asked for it. `call`: a call needed it. `retry`: by itself, after an end that nobody asked for. */
  started_by: z.enum(STARTED_BY),
  /** Null: it was never ready. */
  ready_at: z.string().nullable(),
  /** Null: it goes on. */
  ended_at: z.string().nullable(),
  /** `exited`: of its own accord and well. `idle`: nobody used it, and it sleeps until somebody does. */
  outcome: z.enum(RUN_OUTCOMES),
  /** Of one that was stopped. */
  stopped_by: z.enum(['config', 'request']).nullable(),
  /** From when it was ready. */
  ran_seconds: z.number().nullable(),
  reason: z.string().nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
})
export type ServerRun = z.infer<typeof ServerRun>

/** The newest first; those before the composer's own start are not known. */
export const ServerHistory = z
  .object({ runs: z.array(ServerRun) })
  .meta({ example: { runs: [HISTORY_EXAMPLE] } })
export type ServerHistory = z.infer<typeof ServerHistory>
