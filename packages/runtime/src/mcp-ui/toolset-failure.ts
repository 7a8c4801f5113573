import { ProtocolError } from '@modelcontextprotocol/client'
import { CallerError } from '@quire/kit/errors'
import type { Redactor } from '@quire/kit/redact'
import { ConnectionError, type ConnectionFault } from '@quire/mcp/connection/errors'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'

const STATUS: Readonly<Record<ConnectionFault, number>> = Object.freeze({
  'not-ready': 503,
  lost: 503,
  closed: 503,
  timeout: 504,
  refused: 502,
  'invalid-answer': 502,
  /** The caller has gone: nobody reads it. */
  aborted: 499,
})
/** https://www.jsonrpc.org/specification#error_object, and MCP's own for a resource that there is not. */
const INVALID_PARAMS = -32602
const RESOURCE_NOT_FOUND = -32002
const LONGEST_REASON = 2_048
const LONGEST_SHOWN = 128
const RETRY = { 'retry-after': '5' }

type Text = Pick<Redactor, 'text'>

/** Throws where the toolset does not exist or is not ready. */
export function requireToolset(
  toolsets: Pick<Toolsets, 'names' | 'status'>,
  toolset: string,
  redactor: Text,
): void {
  if (!toolsets.names.includes(toolset))
    throw new CallerError(
      'not_found',
      `There is no toolset ${shown(toolset)}. GET /api/v1/configure/mcp-toolsets-status lists them.`,
    )
  const status = toolsets.status().servers[toolset]
  if (status?.ready) return
  const reason = status?.error ?? `The toolset ${shown(toolset)} is still starting.`
  throw new CallerError('unavailable', redactor.text(reason, LONGEST_REASON), { headers: RETRY })
}

/** What a caller is told when a server did not do what it was asked; our own faults stay as they are. */
export function toToolsetFailure(error: unknown, toolset: string, redactor: Text): unknown {
  if (error instanceof ConnectionError) {
    const status = STATUS[error.fault]
    return new CallerError('unavailable', redactor.text(error.message, LONGEST_REASON), {
      status,
      cause: error,
      ...(status === 503 && { headers: RETRY }),
    })
  }
  if (!(error instanceof ProtocolError)) return error
  const detail = `The toolset ${shown(toolset)} refused it (${error.code}): ${redactor.text(error.message, LONGEST_REASON)}`
  if (error.code === RESOURCE_NOT_FOUND) return new CallerError('not_found', detail, { cause: error })
  if (error.code === INVALID_PARAMS) return new CallerError('validation', detail, { cause: error })
  return new CallerError('unavailable', detail, { status: 502, cause: error })
}

export function shown(name: string): string {
  return JSON.stringify(name.slice(0, LONGEST_SHOWN))
}
