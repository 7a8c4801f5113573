import type { ToolEntry, ToolQuery } from './composed-catalog.ts'

/** A tool with the text in which it is looked for, made once. */
export interface SearchableTool {
  readonly entry: ToolEntry
  readonly names: string
  readonly description: string
}

/** Bounds what one search can cost, whatever a server or a caller writes. */
const MAX_DESCRIPTION = 10_000
const MAX_WORDS = 32
const MAX_WORD = 200

export function toSearchable(entry: ToolEntry, description: string): SearchableTool {
  return { entry, names: `${entry.id}\n${entry.name}`.toLowerCase(), description }
}

/** The type is what a server should write, not what it wrote. */
export function searchableDescription({ description }: { readonly description?: unknown }): string {
  return typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION).toLowerCase() : ''
}

/** Every word of the query has to occur; tools with all of them in their names come first. */
export function searchTools(
  tools: readonly SearchableTool[],
  { server, search, limit, offset }: ToolQuery,
): { readonly tools: readonly ToolEntry[]; readonly total: number } {
  const words = wordsOf(search ?? '')
  const byName: ToolEntry[] = []
  const byDescription: ToolEntry[] = []
  for (const { entry, names, description } of tools) {
    if (server !== undefined && entry.server !== server) continue
    const rest = words.filter((word) => !names.includes(word))
    if (rest.length === 0) byName.push(entry)
    else if (rest.every((word) => description.includes(word))) byDescription.push(entry)
  }
  const found = byName.concat(byDescription)
  return { tools: found.slice(offset, offset + limit), total: found.length }
}

function wordsOf(search: string): readonly string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return [...new Set(words.map((word) => word.slice(0, MAX_WORD)))].slice(0, MAX_WORDS)
}
