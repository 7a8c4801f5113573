import type { ToolDeclaration } from '../model/model.ts'
import { helpText, listTools } from './help.ts'
import { intentStep } from './intent-step.ts'
import { INTENTS } from './intents.ts'
import { callStep, describeStep } from './named-step.ts'
import { parseWish } from './parse-wish.ts'
import { type Piece, toPieces } from './pieces.ts'
import { type Step, say, trouble } from './step.ts'
import { quoted } from './text.ts'
import { findTool } from './tool-names.ts'
import type { Wish } from './wish.ts'

type Tools = readonly ToolDeclaration[]

interface Reading {
  readonly words: string
  /** Undefined: not understood. */
  readonly wish: Wish | undefined
}

const MOST_TEXT = 100_000
const HELP = Object.freeze<Reading>({ words: '', wish: { kind: 'help' } })

/** In order. The same words and the same tools give the same steps. */
export function toSteps(text: string, tools: Tools): readonly Step[] {
  if (text.length > MOST_TEXT) {
    return [
      trouble(
        `Your message has ${text.length} characters, and I read no more than ${MOST_TEXT}. Send less at once.`,
      ),
    ]
  }
  const asked = readAll(text).filter(({ wish }) => wish?.kind !== 'help')
  return (asked.length > 0 ? asked : [HELP]).map(({ wish, words }) =>
    wish ? toStep(wish, tools) : notUnderstood(words),
  )
}

/** Those requests in a text that are understood: whatever stands between them is left out. */
export function requestedSteps(text: string, tools: Tools): readonly Step[] {
  if (text.length > MOST_TEXT) return []
  return readAll(text).flatMap(({ wish }) => (wish && wish.kind !== 'help' ? [toStep(wish, tools)] : []))
}

/** Whether it says anything that is understood, be it a greeting. */
export function isUnderstood(text: string): boolean {
  return text.length <= MOST_TEXT && readAll(text).some(({ wish }) => wish)
}

function readAll(text: string): readonly Reading[] {
  const pieces = toPieces(text)
  const hasBlocks = pieces.some(({ block }) => block)
  return pieces.flatMap((piece) => readPiece(piece, hasBlocks))
}

/** Words and block are one request, or two. */
function readPiece({ words, isRequest, block }: Piece, hasBlocks: boolean): readonly Reading[] {
  const together = block && words !== '' ? parseWish(words, block) : undefined
  if (together) return [{ words, wish: together }]
  const alone = parseWish(words)
  // Beside blocks, words that are no request are remarks on them.
  const isRemark = !alone && (words === '' || (hasBlocks && !isRequest))
  return [
    ...(isRemark ? [] : [{ words, wish: alone }]),
    ...(block ? [{ words: '', wish: runCode(block.code) }] : []),
  ]
}

function runCode(code: string): Wish {
  return { kind: 'do', intent: 'run_code', values: code.trim() === '' ? {} : { code } }
}

function toStep(wish: Wish, tools: Tools): Step {
  if (wish.kind === 'help') return say(helpText(tools))
  if (wish.kind === 'list_tools') return say(listTools(tools))
  if (wish.kind === 'describe_tool') return describeStep(wish.name, tools)
  if (wish.kind === 'call') return callStep(wish, tools)
  if (wish.intent === 'search_tools' && !INTENTS.search_tools.tools.some(([name]) => findTool(tools, name))) {
    return say(listTools(tools, String(wish.values.query ?? '')))
  }
  return intentStep(wish.intent, wish.values, tools)
}

function notUnderstood(words: string): Step {
  return { kind: 'trouble', text: `I do not understand ${quoted(words, 100)}.`, isUnclear: true }
}
