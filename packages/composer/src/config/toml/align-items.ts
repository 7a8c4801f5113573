import { valueAt } from '../server-entries.ts'
import { applyEdits, type Edit } from './edit.ts'
import { type Layout, layoutOf, type Path, type Span } from './layout.ts'
import { matchItems } from './match-items.ts'
import { createPage, type Page } from './page.ts'
import type { TomlDocument } from './parse-toml.ts'
import { isTableList } from './same-value.ts'
import { writeItem } from './write-table.ts'

/**
 * Moves, removes and adds the items of lists of tables (`[[…]]`), so that each stands where the new document has it, under the comments
 * that were written for it. What an old item says is left as it is.
 */
export function alignItems(text: string, old: TomlDocument, next: TomlDocument): string {
  const layout = layoutOf(text)
  const page = createPage(text, layout)
  const edits = listsOf(layout).flatMap((path): Edit[] => {
    const before = valueAt(old, path)
    const after = valueAt(next, path)
    if (!isTableList(before) || !isTableList(after)) return []
    const order = matchItems(before, after)
    if (before.length === after.length && order.every((index, at) => index === at)) return []
    const blocks = blocksOf(layout, page, path)
    const textOf = (index: number | undefined, at: number) =>
      index === undefined
        ? written(writeItem(path, after[at] ?? {}), page)
        : textIn(text, blocks[index] ?? [], page)
    return rearrange(blocks, order.map(textOf), order, page)
  })
  return applyEdits(text, edits)
}

/** Lists within the items of other lists are not moved. */
function listsOf(layout: Layout): readonly (readonly string[])[] {
  const lists = new Map<string, readonly string[]>()
  for (const { kind, path } of layout.sections) {
    const names = path.filter((part) => typeof part === 'string')
    if (kind === 'item' && names.length === path.length - 1) lists.set(JSON.stringify(names), names)
  }
  return [...lists.values()]
}

/** Where each item stands, its own tables included: mostly in one place, but other tables may come between. */
function blocksOf(layout: Layout, page: Page, list: Path): readonly (readonly Span[])[] {
  const blocks: Span[][] = []
  let previous: number | undefined
  for (const section of layout.sections) {
    const index = list.every((part, at) => section.path[at] === part) ? section.path[list.length] : undefined
    const item = typeof index === 'number' ? index : undefined
    if (item !== undefined) {
      blocks[item] ??= []
      const spans = blocks[item]
      const span = page.block(section)
      // What stands between two parts of one item goes with them.
      const start = item === previous ? spans.pop()?.start : undefined
      spans.push({ start: start ?? span.start, end: span.end })
    }
    previous = item
  }
  return blocks
}

function textIn(text: string, spans: readonly Span[], page: Page): string {
  return spans.map(({ start, end }) => closed(text.slice(start, end), page)).join('')
}

function written(lines: string, page: Page): string {
  return closed(lines.replaceAll('\n', page.newline), page)
}

function closed(text: string, { newline }: Page): string {
  return text.endsWith('\n') ? text : text + newline
}

/** The places of the items that stay take their texts in the new order; a new item follows the one before it. */
function rearrange(
  blocks: readonly (readonly Span[])[],
  texts: readonly string[],
  order: readonly (number | undefined)[],
  page: Page,
): Edit[] {
  const kept = new Set(order)
  const hasKept = kept.size > 1 || !kept.has(undefined)
  const groups = groupsOf(order, texts).values()
  return blocks.flatMap(([first, ...rest], index): Edit[] => {
    if (!first) return []
    const isSlot = hasKept ? kept.has(index) : index === 0
    const text = isSlot ? groups.next().value?.join(page.newline) : undefined
    const removed = rest.map((span) => ({ ...page.withBlanks(span), text: '' }))
    return [text === undefined ? { ...page.withBlanks(first), text: '' } : { ...first, text }, ...removed]
  })
}

/** One group for each item that stays, with the new ones behind it; those at the very beginning go before the first. */
function groupsOf(
  order: readonly (number | undefined)[],
  texts: readonly string[],
): readonly (readonly string[])[] {
  const groups: string[][] = []
  let hasKept = false
  for (const [at, index] of order.entries()) {
    const text = texts[at] ?? ''
    const last = groups.at(-1)
    if (last && (index === undefined || !hasKept)) last.push(text)
    else groups.push([text])
    hasKept ||= index !== undefined
  }
  return groups
}
