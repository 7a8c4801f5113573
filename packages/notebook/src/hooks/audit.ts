import { createHash } from 'node:crypto'
import { ConfigError } from '@quire/kit/config/config-error'
import type { Logger } from '@quire/kit/log'
import type { Execution, HookEvents } from './events.ts'
import type { Hooks } from './hooks.ts'
import { type LineFile, openLineFile } from './line-file.ts'
import { errorCode, isErrorResult } from './outcome.ts'

export interface AuditLogOptions {
  readonly path: string
  readonly hooks: Pick<Hooks, 'on'>
  readonly logger: Logger
  /** Writes the code itself beside its checksum. Off by default: code holds secrets. */
  readonly includeCode?: boolean | undefined
  readonly now?: () => Date
}

export interface AuditLog {
  close(): Promise<void>
}

/** Long enough for a busy disk. A call whose line cannot be written has failed. */
const OPTIONS = { critical: true, timeoutMs: 30_000 }
/** The arguments that say what a call was about, and their fields. No other one is ever written: they hold sources, and `connect_to_jupyter` takes a token. */
const WRITTEN_ARGUMENTS = Object.freeze({
  notebook_name: 'notebook',
  notebook_path: 'path',
  path: 'path',
  new_path: 'new_path',
  cell_index: 'cell_index',
  cell_id: 'cell_id',
})
const LONGEST_ARGUMENT = 1024

/**
 * A file with a line of JSON for every tool call, written before its reply, and one for every execution, written before the code is sent. While a line
 * cannot be written, nothing is called and nothing executed. Throws a `ConfigError` when the file cannot be opened.
 */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { path, hooks, logger, includeCode = false, now = () => new Date() } = options
  const file = openFile(path)
  const registrations = [
    hooks.on('before_tool_call', () => reported(file.flush()), OPTIONS),
    hooks.on('before_execute', (execution) => write(executionLine(execution, includeCode)), OPTIONS),
    hooks.on('after_tool_call', (call) => write(callLine(call)), OPTIONS),
  ]
  let closing: Promise<void> | undefined

  function write(fields: object): Promise<void> {
    return reported(file.append(JSON.stringify({ time: now().toISOString(), ...fields })))
  }

  async function finish(): Promise<void> {
    for (const unregister of registrations) unregister()
    try {
      await file.close()
    } catch (error) {
      logger.error({ err: error, path }, 'the last lines of the audit file could not be written')
    }
  }

  return Object.freeze({
    close() {
      closing ??= finish()
      return closing
    },
  })
}

function openFile(path: string): LineFile {
  try {
    return openLineFile(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `cannot be opened for writing: ${reason}. Name a file in a folder that exists and may be written to.`
    throw new ConfigError([{ setting: '--audit-file', origin: path, message }])
  }
}

/** Says to the caller what went wrong, but not where the file is. */
async function reported(written: Promise<void>): Promise<void> {
  try {
    await written
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`the audit file cannot be written${reason}`, { cause: error })
  }
}

function callLine(call: HookEvents['after_tool_call']): object {
  const failed = !call.ok || isErrorResult(call.result)
  return {
    type: 'tool_call',
    call: call.id,
    subject: call.subject,
    tool: call.toolName,
    ...writtenArguments(call.arguments),
    outcome: failed ? 'error' : 'ok',
    ...(!call.ok && { error: errorCode(call.error) }),
    duration_ms: Math.round(call.durationMs),
  }
}

function executionLine({ toolCall, notebook, kernelId, code }: Execution, includeCode: boolean): object {
  return {
    type: 'execution',
    call: toolCall?.id,
    subject: toolCall?.subject,
    tool: toolCall?.toolName,
    notebook,
    kernel_id: kernelId,
    code_sha256: createHash('sha256').update(code).digest('hex'),
    code_bytes: Buffer.byteLength(code),
    ...(includeCode && { code }),
  }
}

function writtenArguments(given: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const written: Record<string, string | number> = {}
  for (const [name, field] of Object.entries(WRITTEN_ARGUMENTS)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (typeof value === 'number') written[field] = value
    if (typeof value === 'string') written[field] = value.slice(0, LONGEST_ARGUMENT).toWellFormed()
  }
  return written
}
