import { ConnectionError, plainReason } from './errors.ts'
import { type HttpRefusal, refusalOf, refusalText } from './http-refusal.ts'
import type { Link } from './link.ts'

const MAX_QUOTE = 300
/** It says the status once more. */
const SSE_NOISE = /: SSE error: Non-200 status code \(\d+\)/

/** The connection broke after the handshake. */
export function lostError(name: string, { stdio }: Link, cause?: unknown): ConnectionError {
  if (stdio?.ending) {
    const { reason, stderr, code, signal } = stdio.ending
    const text = `MCP server "${name}" ${reason}.${lastWords(stderr)}`
    return new ConnectionError('lost', text, { cause, stderr, exitCode: code, signal })
  }
  const refusal = refusalOf(cause)
  if (refusal) {
    const { status, retryAfterSeconds } = refusal
    const text = `The connection to MCP server "${name}" was lost: it answered with ${refusalText(refusal)}`
    return new ConnectionError('lost', text, { cause, status, retryAfterSeconds })
  }
  const reason = cause === undefined ? 'the other side closed it' : plainReason(cause)
  return new ConnectionError('lost', `The connection to MCP server "${name}" was lost: ${reason}.`, { cause })
}

/** The handshake did not succeed. */
export function startError(
  name: string,
  link: Link,
  cause: unknown,
  outcome: 'closed' | 'late' | 'failed',
  { connectMs }: { readonly connectMs: number },
): ConnectionError {
  const { stdio } = link
  const stderr = stdio?.stderr ?? []
  if (outcome === 'closed') {
    return new ConnectionError('closed', `MCP server "${name}" was closed before it was ready.`, {
      cause,
      stderr,
    })
  }
  if (outcome === 'late') {
    const text = `MCP server "${name}" was not ready within ${connectMs / 1000} seconds.${lastWords(stderr)}`
    return new ConnectionError('timeout', text, { cause, stderr })
  }
  if (stdio?.ending) return lostError(name, link, cause)
  const refusal = refusalOf(cause)
  if (refusal) {
    const { status, retryAfterSeconds } = refusal
    const text = `MCP server "${name}" ${refusalInWords(refusal)}`
    return new ConnectionError('refused', text, { cause, status, retryAfterSeconds })
  }
  const text = `MCP server "${name}" could not be reached: ${plainReason(cause)}.${lastWords(stderr)}`
  return new ConnectionError('lost', text, { cause, stderr })
}

function refusalInWords(refusal: HttpRefusal): string {
  const answer = refusalText(refusal).replace(SSE_NOISE, '')
  switch (refusal.status) {
    case 401:
      return `wants a valid token: ${answer}`
    case 403:
      return `does not let us in: ${answer}`
    case 404:
    case 405:
      return `could not be reached: there is no MCP server at this path (${answer.replace(/\.$/, '')}).`
    default:
      return `refused the connection with ${answer}`
  }
}

/** Node.js ends with its version, some lines below the error. */
const NODE_VERSION = /^Node\.js v\d/
const ERROR = /^(?:Uncaught )?\w*Error\b/

function lastWords(stderr: readonly string[]): string {
  const last = stderr.findLast((text) => text.trim() !== '')
  const line =
    last !== undefined && NODE_VERSION.test(last)
      ? (stderr.findLast((text) => ERROR.test(text)) ?? last)
      : last
  return line === undefined
    ? ''
    : ` Its last line on stderr: "${line.trim().slice(0, MAX_QUOTE).replace(/\.$/, '')}".`
}
