import { stripVTControlCharacters } from 'node:util'
import { ToolError } from '../tool-error.ts'
import { findMatches } from './find-matches.ts'
import { matchInWorker } from './match-in-worker.ts'
import type { Cell, CellType, Notebook, Output } from './nbformat.ts'

export interface SearchOptions {
  readonly query: string
  /** The query is a regular expression, whose `^` and `$` match at every line. */
  readonly regex?: boolean | undefined
  readonly caseSensitive?: boolean | undefined
  /** Search in the text of outputs too. */
  readonly outputs?: boolean | undefined
  readonly limit?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** After it a regular expression is stopped. */
  readonly timeoutMs?: number | undefined
}

export interface SearchHit {
  readonly index: number
  readonly id: string | undefined
  readonly type: CellType
  /** Which output of the cell; undefined for a match in its source. */
  readonly output: number | undefined
  /** Where the match begins, counted from 1. */
  readonly line: number
  /** That line, or the part of a long one around the match. */
  readonly text: string
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** With those beyond the limit, counted up to 10,000. */
  readonly total: number
}

const MAX_HITS = 100
const MAX_PATTERN = 1_000
const TIMEOUT_MS = 5_000

export async function searchNotebook(notebook: Notebook, options: SearchOptions): Promise<SearchResult> {
  const { query, regex = false, caseSensitive = false, outputs = false, limit = MAX_HITS } = options
  const { signal, timeoutMs = TIMEOUT_MS } = options
  if (query === '') throw new ToolError('invalid_argument', 'The text to search for must not be empty.')
  const places = notebook.cells.flatMap((cell, index) => textsOf(cell, index, outputs))
  const texts = places.map(({ text }) => text)
  const caseFlag = caseSensitive ? '' : 'i'
  const { matches, total } = regex
    ? await matchInWorker({ ...compile(query, caseFlag), texts, limit }, { signal, timeoutMs })
    : findMatches({ pattern: escapePattern(query), flags: `gu${caseFlag}`, texts, limit })
  const hits = matches.flatMap(({ text: position, line, excerpt }) => {
    const place = places[position]
    return place ? [{ ...place, line, text: excerpt }] : []
  })
  return { hits, total }
}

type SearchText = Omit<SearchHit, 'line'>

function textsOf(cell: Cell, index: number, withOutputs: boolean): SearchText[] {
  const place = { index, id: cell.id, type: cell.cell_type }
  const source = { ...place, output: undefined, text: cell.source }
  if (!withOutputs || cell.cell_type !== 'code') return [source]
  const outputs = cell.outputs.map((output, position) => ({
    ...place,
    output: position,
    text: stripVTControlCharacters(textOf(output)),
  }))
  return [source, ...outputs]
}

function textOf(output: Output): string {
  switch (output.output_type) {
    case 'stream':
      return output.text
    case 'error':
      return [`${output.ename}: ${output.evalue}`, ...output.traceback].join('\n')
    case 'display_data':
    case 'execute_result': {
      const plain = output.data['text/plain']
      const texts = Object.entries(output.data).filter(([type]) => type.startsWith('text/'))
      return typeof plain === 'string' ? plain : texts.map(([, text]) => text).join('\n')
    }
    default:
      return ''
  }
}

/** Patterns are read by the strict rules of Unicode where they keep to them, otherwise by the lenient ones. */
function compile(query: string, caseFlag: string): { pattern: string; flags: string } {
  if (query.length > MAX_PATTERN) {
    throw new ToolError(
      'invalid_argument',
      `The regular expression has ${query.length} characters, and at most ${MAX_PATTERN} are accepted. Use a shorter one.`,
    )
  }
  const flags = `gm${caseFlag}`
  if (syntaxFault(query, `${flags}u`) === undefined) return { pattern: query, flags: `${flags}u` }
  const fault = syntaxFault(query, flags)
  if (fault === undefined) return { pattern: query, flags }
  throw new ToolError('invalid_argument', `${fault}. Mend the regular expression, or search for plain text.`)
}

function syntaxFault(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
