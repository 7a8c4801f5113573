import { plainReason } from '@quire/mcp/connection/errors'
import { LinkError } from '../link/link-error.ts'
import type { FailureFacts } from './restart-policy.ts'

/** What is known of a start that failed; its last lines are those of the link, or else those that we heard. */
export function toFailureFacts(server: string, error: unknown, lastLines: readonly string[]): FailureFacts {
  const end = error instanceof LinkError ? error.end : undefined
  const { exitCode = null, signal = null, stderr = lastLines } = end ?? {}
  return { reason: toReason(server, error), exitCode, signal, stderr }
}

/** In words that stand behind the name of the server. */
function toReason(server: string, error: unknown): string {
  if (!(error instanceof LinkError)) return `could not be started: ${plainReason(error)}`
  const text = error.message.replace(/\.$/, '')
  const subject = `MCP server "${server}" `
  return text.startsWith(subject) ? text.slice(subject.length) : `could not be started: ${text}`
}
