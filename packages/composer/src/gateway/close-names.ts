const MAX_NAMES = 5
const MAX_COMPARED = 2_000
const MAX_LENGTH = 128
const SHORTEST_WORD = 3

/** Those of the names that somebody may have meant: they share the most words with the wanted one. */
export function closeNames(wanted: string, names: readonly string[]): readonly string[] {
  const words = wordsOf(wanted)
  return names
    .slice(0, MAX_COMPARED)
    .map((name) => ({
      name,
      shared: wordsOf(name).filter((word) => words.some((other) => isClose(word, other))),
    }))
    .filter(({ shared }) => shared.length > 0)
    .sort((one, other) => other.shared.length - one.shared.length)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= SHORTEST_WORD)
}

function isClose(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}
