import type { ToolDeclaration } from '../model/model.ts'
import type { DataBlock } from './data-blocks.ts'
import { helpText } from './help.ts'
import { type Step, say } from './step.ts'
import { isUnderstood, requestedSteps } from './steps.ts'
import { bulletsOf, firstSentence } from './text.ts'

/** What a member of a team is to do: a line with the title, and behind it the description. */
export interface Task {
  readonly title: string
  readonly description: string
}

const HEAD = /^Task: (".{1,2000}")$/m
const LONGEST_SENTENCE = 300
const MOST_BLOCKS = 20
const RULES_ONLY =
  'These notes were put together by fixed rules: nothing was looked up, written or judged. For that a member needs a language model, which its `model` names.'

export function readTask(words: string): Task | undefined {
  const head = HEAD.exec(words)
  const title = head && titleIn(head[1] ?? '')
  return title ? { title, description: words.slice(head.index + head[0].length).trim() } : undefined
}

/** What of it the guide can do, in order: the rest is left out. */
export function taskSteps({ title, description }: Task, tools: readonly ToolDeclaration[]): readonly Step[] {
  const described = requestedSteps(description, tools)
  if (described.length > 0) return described
  const titled = requestedSteps(title, tools)
  const isForHelp = titled.length === 0 && description === '' && isUnderstood(title)
  return isForHelp ? [say(helpText(tools))] : titled
}

/** What is said of a task that takes more than rules, or tools that are not there. */
export function notesOn(
  { title, description }: Task,
  blocks: readonly DataBlock[],
  steps: readonly Step[],
): readonly string[] {
  const asked = firstSentence(description, LONGEST_SENTENCE)
  const material = blocks
    .slice(0, MOST_BLOCKS)
    .map(({ heading, text }) => `${heading} ${firstSentence(text, LONGEST_SENTENCE)}`)
  const troubles = steps.flatMap((step) => (step.kind === 'trouble' ? [step.text] : []))
  return [
    `Notes on "${title}"${asked ? `: ${asked}` : '.'}`,
    ...(material.length > 0 ? [`What it builds on:\n${bulletsOf(material)}`] : []),
    ...(troubles.length > 0 ? [`What was not done:\n${bulletsOf(troubles)}`] : []),
    RULES_ONLY,
  ]
}

function titleIn(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : undefined
  } catch {
    // No title in quotes: then the line is like any other.
    return undefined
  }
}
