import type { AgentEvent } from '../event.ts'
import type { ToolCall, ToolCallPart } from '../message.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { withEditedArgs } from './answers.ts'
import { callTool } from './call-tool.ts'
import type { Conversation } from './conversation.ts'
import type { Verdict } from './verdict.ts'

const MAX_AT_ONCE = 8

interface Made {
  readonly call: ToolCall
  readonly tool: Tool
  readonly isEdited: boolean
}

/** Asks for what a person has to decide, then answers all other calls, each as soon as its tool has. Returns the calls that wait. */
export async function* answerCalls(
  calls: readonly ToolCallPart[],
  judge: (call: ToolCallPart) => Verdict,
  conversation: Conversation,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, readonly ToolCall[]> {
  const pending: ToolCall[] = []
  const answers: { readonly call: ToolCall; readonly result: ToolResult }[] = []
  const made: Made[] = []
  for (const part of calls) {
    const verdict = judge(part)
    const call = { id: part.id, name: part.name, args: part.args }
    if (verdict.type === 'ask') pending.push(call)
    else if (verdict.type === 'answer') answers.push({ call, result: verdict.result })
    else made.push({ ...verdict, call: { ...call, args: verdict.args } })
  }

  for (const call of pending) {
    if (signal.aborted) break
    yield { type: 'approval_request', call }
  }
  for (const { call, result } of answers) yield conversation.answer(call, result)
  yield* makeCalls(made, conversation, signal)
  return pending
}

async function* makeCalls(
  made: readonly Made[],
  conversation: Conversation,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const finished: { readonly one: Made; readonly result: ToolResult }[] = []
  const waiting = made.values()
  let wake: (() => void) | undefined
  for (let lane = 0; lane < Math.min(MAX_AT_ONCE, made.length); lane += 1) void work()

  for (let count = 0; count < made.length; count += 1) {
    if (finished.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    const next = finished.shift()
    if (next !== undefined) yield conversation.answer(next.one.call, toResult(next.one, next.result))
  }

  async function work(): Promise<void> {
    for (const one of waiting) {
      finished.push({ one, result: await callTool(one.tool, one.call, signal) })
      wake?.()
    }
  }
}

function toResult({ call, isEdited }: Made, result: ToolResult): ToolResult {
  return isEdited ? withEditedArgs(result, call.args) : result
}
