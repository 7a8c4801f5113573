import { isSummary } from '../compaction/summary.ts'
import { type Message, type ToolCallPart, type ToolMessage, toolCallsOf } from '../message.ts'

/** What has happened since somebody last said something. */
export interface Turn {
  /** Undefined where nobody has said anything. */
  readonly request: string | undefined
  /** A summary stands in place of the request and of some calls that were made for it: which ones, nobody can tell. */
  readonly isShortened: boolean
  readonly earlier: readonly Message[]
  readonly calls: readonly ToolCallPart[]
  readonly results: readonly ToolMessage[]
}

export function readTurn(messages: readonly Message[]): Turn {
  const start = messages.findLastIndex(({ role }) => role === 'user')
  const said = messages[start]
  const since = messages.slice(start + 1)
  return {
    request: said?.role === 'user' ? said.text : undefined,
    isShortened: said?.role === 'user' && isSummary(said),
    earlier: messages.slice(0, Math.max(start, 0)),
    calls: since.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : [])),
    results: since.filter((message) => message.role === 'tool'),
  }
}
