import type { JsonObject } from '../json.ts'
import type { ModelRequest, ToolDeclaration } from '../model/model.ts'
import { withCurrentNotebook } from './current-notebook.ts'
import { splitData } from './data-blocks.ts'
import { defaultCall } from './default-call.ts'
import { extractOf, wantsSummary } from './extract.ts'
import { examplesFor, helpText } from './help.ts'
import type { Step } from './step.ts'
import { isUnderstood, toSteps } from './steps.ts'
import { notesOn, readTask, taskSteps } from './task.ts'
import { tellResult } from './tell-result.ts'
import { bulletsOf } from './text.ts'
import { readTurn, type Turn } from './turn.ts'

export interface Answer {
  readonly text: string
  readonly call?: { readonly name: string; readonly args: JsonObject }
  /** Nothing can be done of what was asked; the text says why. */
  readonly isUnable?: boolean
}

const MOST_STEPS = 8
/** Every answer that ends a turn says who gave it. */
const LABEL = "(Quire's built-in guide: fixed rules, no language model.)"
const SHORTENED =
  'The conversation grew too long and was shortened, so that I cannot tell which steps of your request are done. Say again what is left to do.'

/** The guide remembers nothing: what has been done already is read from the messages. */
export function decide(request: ModelRequest): Answer {
  const { tools } = request
  const turn = readTurn(request.messages)
  const { words, blocks } = splitData(turn.request ?? '')
  const task = readTask(words)
  if (task === undefined && wantsSummary(request, turn)) return { text: extractOf(turn) }
  if (turn.request === undefined) return end([helpText(tools)])
  if (turn.isShortened)
    return end([...turn.results.map((result) => tellResult(result, tools)), SHORTENED], true)
  const obvious = task === undefined ? defaultCall(tools) : undefined
  if (obvious !== undefined && !isUnderstood(words)) return callOnce(obvious, turn, tools)
  const all = task === undefined ? toSteps(words, tools) : taskSteps(task, tools)
  if (task !== undefined && all.every(({ kind }) => kind === 'trouble'))
    return end(notesOn(task, blocks, all), true)
  const steps = all.slice(0, MOST_STEPS)
  const calls = steps.filter((step) => step.kind === 'call')
  const next = calls[turn.calls.length]
  const isStuck = steps.some(({ kind }) => kind === 'trouble')
  const hasFailed = turn.results.some(({ result }) => result.isError)
  if (next && !isStuck && !hasFailed) {
    const at = calls.length > 1 ? `Step ${turn.calls.length + 1} of ${calls.length}: calling` : 'Calling'
    // What follows is read in one piece with it.
    const args = withCurrentNotebook(next, request.messages, tools)
    return { text: `${at} \`${next.name}\`.\n\n`, call: { name: next.name, args } }
  }
  const left = all.length - steps.length
  return end(
    [
      ...tell(steps, turn, tools),
      ...(next && hasFailed
        ? [`I stopped here: ${calls.length - turn.calls.length} of ${calls.length} steps are not done.`]
        : []),
      ...(left > 0 && !isStuck
        ? [
            `I do at most ${MOST_STEPS} steps for one request: the last ${left} are not done. Send them again.`,
          ]
        : []),
    ],
    isStuck,
  )
}

function callOnce(call: NonNullable<Answer['call']>, turn: Turn, tools: readonly ToolDeclaration[]): Answer {
  if (turn.calls.length > 0) return end(turn.results.map((result) => tellResult(result, tools)))
  return { text: `Calling \`${call.name}\` with its defaults.\n\n`, call }
}

function tell(
  steps: readonly Step[],
  { results }: Turn,
  tools: readonly ToolDeclaration[],
): readonly string[] {
  const troubles = steps.flatMap((step, index) =>
    step.kind === 'trouble' ? [numbered(step.text, index, steps)] : [],
  )
  const told = results.map((result) => tellResult(result, tools))
  if (troubles.length > 0) {
    const isUntouched = results.length === 0 && steps.length > 1
    const isUnclear = steps.some((step) => step.kind === 'trouble' && step.isUnclear)
    return [
      ...told,
      ...troubles,
      ...(isUnclear
        ? [`I follow fixed rules. These, for example, I understand:\n${bulletsOf(examplesFor(tools))}`]
        : []),
      ...(isUntouched ? ['Nothing has been done yet.'] : []),
    ]
  }
  const inOrder = steps.flatMap((step) => (step.kind === 'say' ? [step.text] : told.splice(0, 1)))
  return [...inOrder, ...told]
}

function numbered(text: string, index: number, { length }: readonly Step[]): string {
  return length > 1 ? `Step ${index + 1}: ${text}` : text
}

function end(parts: readonly string[], isUnable = false): Answer {
  return { text: [...parts, LABEL].join('\n\n'), isUnable }
}
