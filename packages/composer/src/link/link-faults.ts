import type { LinkEnd } from './link.ts'
import { LinkError } from './link-error.ts'

export function lostFault(server: string, end: LinkEnd): LinkError {
  return new LinkError('lost', `The request has no answer: MCP server "${server}" ${end.reason}.`, { end })
}

/** The link lives on, but this request came to nothing. */
export function unansweredFault(server: string, reason: string): LinkError {
  return new LinkError('lost', `The request to MCP server "${server}" has no answer: ${reason}.`)
}

export function unsentFault(server: string, reason: string, end?: LinkEnd): LinkError {
  return new LinkError('unsent', `The request did not reach MCP server "${server}": ${reason}.`, { end })
}

export function abortedFault(server: string, cause: unknown): LinkError {
  return new LinkError('aborted', `The request to MCP server "${server}" was cancelled.`, { cause })
}
