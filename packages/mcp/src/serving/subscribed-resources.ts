import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { isRecord } from '../json.ts'

interface Asked {
  readonly uri: string
  readonly wanted: boolean
}

const MAX_SUBSCRIPTIONS = 1000

/**
 * The resources that the client of a session has subscribed to. Its server grants or refuses that as it likes, so its answers are what counts.
 * To be called when the server is connected.
 */
export function watchSubscriptions(transport: Transport): ReadonlySet<string> {
  const granted = new Set<string>()
  const asked = new Map<RequestId, Asked>()
  const { onmessage } = transport
  const send = transport.send.bind(transport)

  transport.onmessage = (message, extra) => {
    const question = toQuestion(message)
    if (question && asked.size < MAX_SUBSCRIPTIONS) asked.set(question.id, question)
    onmessage?.(message, extra)
  }
  transport.send = (message, options) => {
    settle(message)
    return send(message, options)
  }
  return granted

  function settle(message: JSONRPCMessage): void {
    if ('method' in message || message.id === undefined) return
    const question = asked.get(message.id)
    asked.delete(message.id)
    if (!question || !('result' in message)) return
    if (!question.wanted) granted.delete(question.uri)
    else if (granted.size < MAX_SUBSCRIPTIONS) granted.add(question.uri)
  }
}

function toQuestion(message: JSONRPCMessage): (Asked & { readonly id: RequestId }) | undefined {
  if (!isJSONRPCRequest(message)) return undefined
  const { id, method, params } = message
  const wanted = method === 'resources/subscribe'
  if (!wanted && method !== 'resources/unsubscribe') return undefined
  return isRecord(params) && typeof params.uri === 'string' ? { id, uri: params.uri, wanted } : undefined
}
