import type { ToolEntry } from '../catalog/composed-catalog.ts'

const MAX_WORDS = 16
/** "an" and "it" are part of half of all words. */
const SHORTEST_WORD = 3
/** A tool with one more word of the query comes first, wherever the words stand. */
const WORD = 10
const IN_NAME = 3
const MAX_DESCRIPTION = 10_000

/** Tools by how well they fit the words of a model, the best first; those without any of the words are left out. */
export function rankTools(query: string, tools: readonly ToolEntry[]): readonly ToolEntry[] {
  const words = wordsOf(query)
  if (words.length === 0) return tools
  return tools
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry)
}

function wordsOf(query: string): readonly string[] {
  const all = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const long = all.filter((word) => word.length >= SHORTEST_WORD)
  return [...new Set(long.length > 0 ? long.map(toSingular) : all)].slice(0, MAX_WORDS)
}

function toSingular(word: string): string {
  return word.length > SHORTEST_WORD && word.endsWith('s') ? word.slice(0, -1) : word
}

function scoreOf({ id, item }: ToolEntry, words: readonly string[]): number {
  const name = `${id} ${item.title ?? ''}`.toLowerCase()
  const description = (item.description ?? '').slice(0, MAX_DESCRIPTION).toLowerCase()
  let score = 0
  for (const word of words) {
    if (name.includes(word)) score += WORD + IN_NAME
    else if (description.includes(word)) score += WORD
  }
  return score
}
