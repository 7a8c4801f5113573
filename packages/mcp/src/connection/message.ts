import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { exceedsDepth, isRecord } from '../json.ts'

const INTERNAL_ERROR = -32603

/** A line as a message; undefined when it is none. */
export function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isMessage(value) ? value : undefined
  } catch {
    // Not JSON: garbage for the caller to count.
    return undefined
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return false
  if ('method' in value) return typeof value.method === 'string'
  return 'id' in value && ('result' in value || 'error' in value)
}

/** The message, unless it is nested too deeply to be handled safely: then whoever waits for it gets an error instead. */
export function acceptMessage(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!exceedsDepth(message)) return message
  if ('method' in message || message.id === undefined) return undefined
  const error = { code: INTERNAL_ERROR, message: 'the answer is nested too deeply to be accepted' }
  return { jsonrpc: '2.0', id: message.id, error }
}
