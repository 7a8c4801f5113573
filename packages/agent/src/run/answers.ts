import type { JsonObject } from '../json.ts'
import { errorResult, type ToolResult } from '../tool.ts'
import { closestNames } from './closest-names.ts'

/** What the model reads where a tool did not answer: what happened, and what it can do now. */

const MAX_NAMES = 20
const MAX_NAME_CHARACTERS = 64
const MAX_REASON_CHARACTERS = 4_000

export const NEVER_CALLED: ToolResult = errorResult(
  'This call was cancelled before it began: the run was stopped.',
)
export const CANCELLED: ToolResult = errorResult(
  'This call was cancelled: the run was stopped before the tool had answered. It may have taken effect. Check before you call it again.',
)
export const OUTCOME_UNKNOWN: ToolResult = errorResult(
  'It is not known whether this call ran, because the run was interrupted. Check before you call it again.',
)
export const RUN_FAILED: ToolResult = errorResult('This call was not answered: the run failed before.')

export function stepLimitReached(maxSteps: number): ToolResult {
  return errorResult(
    `This call was not made: the limit of ${maxSteps} steps of one run was reached. Go on when the user asks for it.`,
  )
}

export function unknownTool(name: string, existing: readonly string[]): ToolResult {
  const what = `There is no tool ${quote(name)}.`
  if (existing.length === 0) return errorResult(`${what} There are no tools at all: answer without one.`)
  const names = closestNames(name, existing, MAX_NAMES)
  const more = existing.length - names.length
  return errorResult(
    `${what} Call one of those that exist: ${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`,
  )
}

export function malformedArgs(name: string): ToolResult {
  return errorResult(
    `${quote(name)} was not called: its arguments were no JSON object. Call it again with one JSON object that fits its input schema.`,
  )
}

export function timedOut(name: string, timeoutMs: number): ToolResult {
  return errorResult(
    `${quote(name)} did not answer within ${timeoutMs / 1000} seconds and was abandoned. It may have taken effect. Check before you call it again.`,
  )
}

export function threw(name: string, error: unknown): ToolResult {
  const reason = error instanceof Error ? error.message : typeof error === 'string' ? error : ''
  return errorResult(
    reason === ''
      ? `${quote(name)} failed and gave no reason. Try another way.`
      : `${quote(name)} failed: ${shorten(reason, MAX_REASON_CHARACTERS)}`,
  )
}

export function noToolResult(name: string): ToolResult {
  return errorResult(`${quote(name)} ended, but what it gave back is no result of a tool. Try another way.`)
}

export function denied(reason: string | undefined): ToolResult {
  const said = reason && shorten(reason, MAX_REASON_CHARACTERS).replace(/\.$/, '')
  const why = said ? `The reason given: "${said}".` : 'No reason was given.'
  return errorResult(
    `This call was not made: a person was asked and refused it. ${why} Do not call it again in the same way.`,
  )
}

/** Without this the model would tell of a call that nobody made. */
export function withEditedArgs(result: ToolResult, args: JsonObject): ToolResult {
  const text = `A person changed the arguments of this call to: ${JSON.stringify(args)}`
  return { ...result, content: [{ type: 'text', text }, ...result.content] }
}

function quote(name: string): string {
  return `"${shorten(name, MAX_NAME_CHARACTERS)}"`
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`
}
