import type { Slot } from './intents.ts'
import type { Values } from './wish.ts'

const MOST_NAME = 300
const MOST_INDICES = 100
const NOISE =
  /^(?:\s|[.!?,:]|(?:please|now|for me|there|are there|are open|are in use|in use|do you have|do you know|do i have|can you use|can i use|exist|open|again|thanks|thank you|you|me|it|this|that|them|quire|guide)(?=[\s.!?,:]|$))*$/i
const PLACE = /^\s*(?:of|in|from|for|to|at|under|inside|called|named|with|path|name|:|-)+(?=\s)/i
const THIS_NOTEBOOK = /^(?:the|this|my|current|the current|this current)?\s*(?:notebook|one|kernel|it)?$/i
const NOTEBOOK_WORD = /^(?:the\s+|this\s+|my\s+|current\s+){0,3}(?:notebook|folder|directory|file)\s+/i
const INDEX = /^\s*(?:number|no\.?|index|#)?\s*(?:#\s*)?(\d{1,9})(?!\w)/i
const LINK = /^\s*(?:,\s*and|,|and|&|to|through|-|–|until)\s*(?=#?\s*\d)/i
const BEFORE_QUERY = /^\s*(?:for|about|that\s+can|that|which|to|matching|with|on)?(?=[\s:])/i
const RANGE = /to|through|-|–|until/i

export function isNoise(rest: string): boolean {
  return rest.length <= MOST_NAME && NOISE.test(rest)
}

export function readNothing(rest: string): Values | undefined {
  return isNoise(rest) ? {} : undefined
}

/** One name or path, with or without quotes and a word before it. */
export function readName(rest: string): string | undefined {
  if (rest.length > MOST_NAME) return undefined
  const name = rest
    .replace(PLACE, '')
    .trim()
    .replace(NOTEBOOK_WORD, '')
    .replace(/[\s.!?,:;]+$/, '')
    .replace(/\s+please$/i, '')
    .replace(/^["'`“‘](.*)["'`”’]$/, '$1')
    .trim()
  return /[\n\r]/.test(name) ? undefined : name
}

export function readNamed(slot: Slot): (rest: string) => Values | undefined {
  return (rest) => {
    if (isNoise(rest)) return {}
    const name = readName(rest)
    if (name === undefined) return undefined
    if (name === '' || THIS_NOTEBOOK.test(name)) return {}
    return { [slot]: slot === 'notebook' ? nameOfPath(name) : name }
  }
}

/** A path makes a name: the file's own without its ending. `as NAME` gives another. */
export function readNotebookFile(rest: string, mode: 'connect' | 'create'): Values | undefined {
  if (isNoise(rest)) return { mode }
  const [said = '', alias] = rest.slice(0, MOST_NAME + 1).split(/\s+as\s+/i)
  const name = readName(said)
  if (name === undefined || rest.length > MOST_NAME) return undefined
  if (name === '') return { mode }
  const path = /\.ipynb$/i.test(name) ? name : `${name}.ipynb`
  return { path, mode, notebook: (alias && readName(alias)) || nameOfPath(path) }
}

export function readCell(rest: string): Values | undefined {
  const index = INDEX.exec(rest.slice(0, MOST_NAME))
  if (!index) return isNoise(rest) ? {} : undefined
  const left = rest.slice(index[0].length)
  const where = isAbout(left) ? readNamed('notebook')(left) : undefined
  return where && { cell: Number(index[1]), ...where }
}

/** `2`, `2, 3 and 5`, `2 to 4`, and of which notebook. */
export function readCells(rest: string): Values | undefined {
  const cells: number[] = []
  let left = rest.slice(0, MOST_NAME * 2)
  let isRange = false
  for (let index = INDEX.exec(left); index && cells.length < MOST_INDICES; index = INDEX.exec(left)) {
    const next = Number(index[1])
    const from = cells.at(-1)
    if (isRange && from !== undefined) {
      if (next <= from) return undefined
      cells.push(...range(from + 1, next))
    } else cells.push(next)
    left = left.slice(index[0].length)
    const link = LINK.exec(left)
    if (!link) break
    isRange = RANGE.test(link[0])
    left = left.slice(link[0].length)
  }
  if (rest.length > MOST_NAME * 2 || cells.length > MOST_INDICES || !isAbout(left)) return undefined
  const where = readNamed('notebook')(left)
  return where && { ...(cells.length > 0 && { cells }), ...where }
}

export function readQuery(rest: string): Values | undefined {
  const query = readName(rest.replace(BEFORE_QUERY, ''))
  return query === undefined ? undefined : query === '' ? {} : { query }
}

function nameOfPath(path: string): string {
  return /\.ipynb$/i.test(path) ? path.slice(path.lastIndexOf('/') + 1, -'.ipynb'.length) : path
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.min(to - from + 1, MOST_INDICES + 1) }, (_, step) => from + step)
}

/** What stands behind a number is a place or nothing: "cell 3 of x", but not "cell 3 times two". */
function isAbout(rest: string): boolean {
  return isNoise(rest) || /^\s*(?:of|in|from)\s/i.test(rest)
}
