import { isNoise } from './readers.ts'
import type { Block, Values } from './wish.ts'

const PLACE = /^\s+(?:at|before)(?:\s+(?:index|position|cell))?\s+(\d{1,9})(?=[\s:]|$)/i
const CHANGED_CELL = /^\s*#?\s*(\d{1,9})\s*(?:to(?=[\s:]|$)|with(?=[\s:]|$)|:|$)/i
const WITH = /^\s*(?:with|saying|containing)(?:\s+the)?(?:\s+(?:code|text|source|content))?(?=[\s:])/i
const NO_CODE = /^\s+(?:(?:all|the|my|this|these)\s+)*(?:cells?|notebooks?|tools?|kernels?)(?=\s|$)/i

/** Undefined: something else is meant. */
export function readCode(rest: string, block: Block | undefined): Values | undefined {
  return NO_CODE.test(rest.slice(0, 200)) ? undefined : withText('code', rest, block)
}

export function readSource(rest: string, block: Block | undefined): Values | undefined {
  return withText('source', rest.replace(WITH, ''), block)
}

/** With the kind of cell and, where it is said, its place. */
export function readNewCell(rest: string, block: Block | undefined, kind = 'code'): Values | undefined {
  const place = PLACE.exec(rest.slice(0, 100))
  const text = readSource(rest.slice(place?.[0].length ?? 0), block)
  const cellType = /^(?:md|text)$/i.test(kind) ? 'markdown' : kind.toLowerCase()
  return text && { cellType, ...(place && { position: Number(place[1]) }), ...text }
}

export function readChange(rest: string, block: Block | undefined): Values | undefined {
  const cell = CHANGED_CELL.exec(rest.slice(0, 100))
  if (!cell) return isNoise(rest) ? {} : undefined
  const text = withText('source', rest.slice(cell[0].length), block)
  return text && { cell: Number(cell[1]), ...text }
}

/** What the words hold, else what the block behind them does. */
function withText(slot: 'code' | 'source', rest: string, block: Block | undefined): Values | undefined {
  const said = rest.replace(/^[ \t]*:?[ \t]*\n?/, '').trimEnd()
  const isSaid = said !== '' && !isNoise(said)
  if (block) {
    // Words with a text of their own do not speak of the block: it is another request.
    const isWhole = isSaid && !said.endsWith(':') && (slot === 'source' || /[()=[\]{}"`]/.test(said))
    if (isWhole) return undefined
    return block.code.trim() === '' ? {} : { [slot]: block.code }
  }
  return isSaid ? { [slot]: withoutTicks(said) } : {}
}

function withoutTicks(text: string): string {
  return /^`[^`\n]+`[.!]?$/.test(text) ? text.slice(1, text.lastIndexOf('`')) : text
}
