import type { Logger } from '@quire/kit/log'
import type { Redactor } from '@quire/kit/redact'
import { createLineFile } from './line-file.ts'

/** Who did what, and how it ended. Arguments and results have no place here. */
export interface AuditEntry {
  /** `anonymous` where nobody is asked for a name. */
  readonly subject: string
  /** `tools/call`, `prompts/get`, `resources/read`, `servers/restart`, `config/write`, … */
  readonly method: string
  /** The tool, prompt, resource, server or file. */
  readonly target: string
  readonly server?: string | undefined
  /** `ok`, `tool_error`, `asked` where the server wants to know something first, or the code of what went wrong. */
  readonly outcome: string
  readonly durationMs: number
  readonly requestId?: string | undefined
}

export interface Audit {
  /** Never throws: a call that worked has worked, whether or not it could be written down. */
  record(entry: AuditEntry): void
  /** Lines that could not be written. */
  lost(): number
  close(): Promise<void>
}

export interface AuditOptions {
  /** Absent: entries are lines of the log. */
  readonly file?: string | undefined
  readonly logger: Logger
  readonly redactor: Pick<Redactor, 'text'>
  /** How long a file is left alone after a write that failed. */
  readonly retryMs?: number
  readonly now?: () => Date
}

const LONGEST_TEXT = 1024
const RETRY_MS = 1_000

export function createAudit(options: AuditOptions): Audit {
  const { file, logger, redactor, retryMs = RETRY_MS, now = () => new Date() } = options
  const lines =
    file === undefined
      ? undefined
      : createLineFile(file, {
          retryMs,
          onFault: (error) =>
            logger.error(
              { err: error, file },
              'the audit file cannot be written: calls go on, their lines wait',
            ),
          onRecovered: (lost) => logger.warn({ file, lost }, 'the audit file can be written again'),
        })

  /** Names come from callers: a URI may hold a secret, and be as long as it likes. */
  const shown = (text: string) => redactor.text(text, LONGEST_TEXT).toWellFormed()

  function record(entry: AuditEntry): void {
    if (!lines && !logger.isLevelEnabled('info')) return
    const { subject, method, target, server, outcome, durationMs, requestId } = entry
    const fields = {
      subject: shown(subject),
      method,
      target: shown(target),
      ...(server !== undefined && { server }),
      outcome,
      duration_ms: Math.round(durationMs * 10) / 10,
      ...(requestId !== undefined && { request_id: requestId }),
    }
    if (lines) lines.append(JSON.stringify({ time: now().toISOString(), ...fields }))
    else logger.vouched(fields, 'audit')
  }

  return Object.freeze<Audit>({
    record,
    lost: () => lines?.lost() ?? 0,
    close: async () => lines?.close(),
  })
}
