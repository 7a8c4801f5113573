import { isTable } from '../apps/user-interfaces.ts'
import { readValue, type Scope } from './values.ts'

/** How many characters one surface may still show. */
export interface TextBudget {
  /** As much of the text as there is room for. Once there is none, it is not even read. */
  readonly cut: (read: () => string) => string
  /** Whether there is room for all texts of a component that cannot be cut, such as what stands in an input. */
  readonly take: (texts: readonly unknown[], scope: Scope) => boolean
}

const ELLIPSIS = '…'
/** Of what texts stand in: the options of a choice are tables within a list. */
const MOST_DEEP = 3

export function createTextBudget(most: number): TextBudget {
  let left = most

  return Object.freeze({ cut, take })

  function cut(read: () => string): string {
    if (left <= 0) return ELLIPSIS
    const text = read()
    const shown = text.length > left ? `${text.slice(0, left)}${ELLIPSIS}` : text
    left -= text.length
    return shown
  }

  function take(texts: readonly unknown[], scope: Scope): boolean {
    for (const text of texts) if (left > 0) left -= lengthOf(readValue(text, scope), scope)
    return left > 0
  }
}

function lengthOf(value: unknown, scope: Scope, depth = 0): number {
  if (typeof value === 'string') return value.length
  if (depth > MOST_DEEP) return 0
  const inside = Array.isArray(value) ? value : isTable(value) ? Object.values(value) : []
  return inside.reduce<number>((sum, one) => sum + lengthOf(readValue(one, scope), scope, depth + 1), 0)
}
