import type { Params, Reply, RpcError } from '../../rpc.ts'
import type { RpcId } from './message.ts'

const CLOSE = Buffer.from('}')
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/** A reply as one message. The result is never parsed: its bytes are those that the server wrote. */
export function encodeReply(id: RpcId, reply: Reply): Buffer {
  if ('error' in reply) return encodeError(id, reply.error)
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`)
  return Buffer.concat([head, reply.result, CLOSE], head.length + reply.result.length + 1)
}

export function encodeError(id: RpcId | null, error: RpcError): Buffer {
  return encodeMessage({ id, error })
}

export function encodeNotification(method: string, params?: Params): Buffer {
  return encodeMessage(params ? { method, params } : { method })
}

export function encodeMessage(message: object): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
}

/** For transports that end a message with a line: in valid JSON a line break stands between tokens alone, so a space means the same. */
export function onOneLine(message: Buffer): Buffer {
  if (!message.includes(LINE_FEED) && !message.includes(CARRIAGE_RETURN)) return message
  const line = Buffer.from(message)
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === LINE_FEED || line[index] === CARRIAGE_RETURN) line[index] = SPACE
  }
  return line
}
