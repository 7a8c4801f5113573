import type { JsonObject } from '../json.ts'
import type { ToolCallPart } from '../message.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { denied, malformedArgs, OUTCOME_UNKNOWN, unknownTool } from './answers.ts'
import type { Decision } from './run-agent.ts'

/** What is to be done with a call: make it, answer it without the tool, or ask a person. */
export type Verdict =
  | { readonly type: 'make'; readonly tool: Tool; readonly args: JsonObject; readonly isEdited: boolean }
  | { readonly type: 'answer'; readonly result: ToolResult }
  | { readonly type: 'ask' }

export type Tools = ReadonlyMap<string, Tool>

export function judgeNew(call: ToolCallPart, tools: Tools): Verdict {
  const tool = tools.get(call.name)
  if (tool === undefined) return answer(unknownTool(call.name, [...tools.keys()]))
  if (call.malformed !== undefined) return answer(malformedArgs(call.name))
  return tool.needsApproval ? { type: 'ask' } : { type: 'make', tool, args: call.args, isEdited: false }
}

/** A call of an earlier run. Without a decision it is never made: nobody knows how far that run came. */
export function judgeOld(call: ToolCallPart, tools: Tools, decision: Decision | undefined): Verdict {
  if (decision === undefined) {
    if (call.malformed !== undefined) return answer(malformedArgs(call.name))
    return tools.get(call.name)?.needsApproval ? { type: 'ask' } : answer(OUTCOME_UNKNOWN)
  }
  if (!decision.isApproved) return answer(denied(decision.reason))
  const tool = tools.get(call.name)
  if (tool === undefined) return answer(unknownTool(call.name, [...tools.keys()]))
  if (decision.args !== undefined) return { type: 'make', tool, args: decision.args, isEdited: true }
  if (call.malformed !== undefined) return answer(malformedArgs(call.name))
  return { type: 'make', tool, args: call.args, isEdited: false }
}

function answer(result: ToolResult): Verdict {
  return { type: 'answer', result }
}
