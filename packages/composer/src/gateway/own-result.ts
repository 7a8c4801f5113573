import type { Era } from '@quire/mcp/connection/era'
import type { Params, Reply } from '../rpc.ts'
import { toRawJson } from './modern-result.ts'

/** A result that we make ourselves. */
export function toOwnReply(era: Era, result: Params): Reply {
  const fields = era === 'modern' ? { resultType: 'complete' } : {}
  return { result: toRawJson({ ...fields, ...result }), era }
}

/** The result of a tool of ours: text for models, the same as data for programs. */
export function toToolReply(era: Era, text: string, structuredContent: Params): Reply {
  return toOwnReply(era, { content: [{ type: 'text', text }], structuredContent })
}

/** The failure of a tool of ours, as models get to see it. */
export function toToolFailure(era: Era, text: string): Reply {
  return toOwnReply(era, { content: [{ type: 'text', text }], isError: true })
}
