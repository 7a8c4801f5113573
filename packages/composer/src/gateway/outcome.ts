import { isRecord } from '@quire/mcp/json'
import type { RawJson, Reply } from '../rpc.ts'
import { readObject } from './modern-result.ts'

const TRUE = /^\s*:\s*true/
const INPUT_REQUIRED = /^\s*:\s*"input_required"/
const NEAR = 64

/** For the record: `ok`, `tool_error`, `asked` where the server wants to know something first, or the code of the error. */
export function outcomeOf(reply: Reply): string {
  if ('result' in reply) return outcomeOfResult(reply.result)
  const { code, data } = reply.error
  return isRecord(data) && typeof data.error_code === 'string' ? data.error_code : String(code)
}

/** Results are handed on unread: only one that looks like an exception is looked into. */
function outcomeOfResult(result: RawJson): string {
  const isSuspect =
    isFollowedBy(result, '"isError"', TRUE) || isFollowedBy(result, '"resultType"', INPUT_REQUIRED)
  const value = isSuspect ? readObject(result) : undefined
  if (value?.resultType === 'input_required') return 'asked'
  return value?.isError === true ? 'tool_error' : 'ok'
}

function isFollowedBy(result: RawJson, key: string, pattern: RegExp): boolean {
  for (let at = result.indexOf(key); at >= 0; at = result.indexOf(key, at + 1)) {
    const start = at + key.length
    if (pattern.test(result.toString('latin1', start, start + NEAR))) return true
  }
  return false
}
