import { type ConnectionError, plainReason } from '@quire/mcp/connection/errors'
import { refusalOf, refusalText } from '@quire/mcp/connection/http-refusal'
import type { StdioTransport } from '@quire/mcp/connection/stdio-transport'
import type { LinkEnd } from './link.ts'

const CLOSED_END: LinkEnd = Object.freeze({
  reason: 'was closed',
  exitCode: null,
  signal: null,
  stderr: Object.freeze([]),
  isForgotten: false,
  isClosed: true,
})

/** Why a session is over, in words that stand behind the name of its server. */
export function toLinkEnd(error: ConnectionError, stdio?: StdioTransport): LinkEnd {
  const { exitCode, signal } = error
  const stderr = stdio?.stderr ?? error.stderr
  if (error.fault === 'closed') return { ...CLOSED_END, stderr }
  const isForgotten = error.status === 404
  return Object.freeze({
    reason: isForgotten ? 'has forgotten our session' : (stdio?.ending?.reason ?? remoteReason(error)),
    exitCode,
    signal,
    stderr,
    isForgotten,
    isClosed: false,
  })
}

function remoteReason({ cause }: ConnectionError): string {
  const refusal = refusalOf(cause)
  if (refusal) return `answered with ${refusalText(refusal).replace(/\.$/, '')}`
  return cause === undefined ? 'closed the connection' : `is out of reach: ${plainReason(cause)}`
}
