import { type Message, textOf, toolCallsOf } from '@quire/agent/message'
import type { ToolResult } from '@quire/agent/tool'
import type { Ending } from './layout.ts'
import type { TurnResult, TurnToolCall } from './turns.ts'

export type Outcome = Ending & { readonly status: TurnResult['status'] }

/** The complete answer, from all messages of the turn. */
export function toTurnResult(messages: readonly Message[], { status, usage, error }: Outcome): TurnResult {
  const results = new Map<string, ToolResult>()
  for (const message of messages) if (message.role === 'tool') results.set(message.callId, message.result)
  const said = messages.filter((message) => message.role === 'assistant')
  return Object.freeze({
    status,
    text: said.map(textOf).join(''),
    toolCalls: said.flatMap((message) =>
      toolCallsOf(message).map((call) => toCall(call, results.get(call.id))),
    ),
    usage,
    ...(error !== undefined && { error }),
  })
}

function toCall(
  { id, name, args }: Omit<TurnToolCall, 'result'>,
  result: ToolResult | undefined,
): TurnToolCall {
  return result === undefined ? { id, name, args } : { id, name, args, result }
}
