import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import type { AuditEntry } from '../audit/audit.ts'

/** What is known of something while it is being done: whoever does it fills in the rest. */
export interface Deed {
  readonly method: string
  target: string
  server?: string
  /** Of what has ended without an error of ours. */
  outcome?: string
}

/** Does it, and writes down who did what and how it ended. */
export async function recorded<Result>(
  c: Context<ServiceEnv>,
  record: (entry: AuditEntry) => void,
  deed: Deed,
  work: (deed: Deed) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now()
  const write = (outcome: string) =>
    record({
      ...deed,
      subject: c.get('principal').subject,
      outcome,
      durationMs: performance.now() - startedAt,
      requestId: c.get('requestId'),
    })
  try {
    const result = await work(deed)
    write(deed.outcome ?? 'ok')
    return result
  } catch (error) {
    write(deed.outcome ?? codeOf(error))
    throw error
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof CallerError)) return 'INTERNAL_ERROR'
  return error.problem.code ?? error.problem.reason.toUpperCase()
}
