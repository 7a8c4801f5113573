const MAX_COMPARED_CHARACTERS = 64

/** The names most like the wanted one first. Pairs of letters are compared, so that a missing prefix matters less than a wrong word. */
export function closestNames(wanted: string, names: readonly string[], limit: number): readonly string[] {
  const pairs = pairsOf(wanted)
  return names
    .map((name) => ({ name, likeness: likeness(pairs, pairsOf(name)) }))
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, limit)
    .map(({ name }) => name)
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return (2 * one.intersection(other).size) / Math.max(1, one.size + other.size)
}

function pairsOf(name: string): ReadonlySet<string> {
  const letters = name.slice(0, MAX_COMPARED_CHARACTERS).toLowerCase()
  const pairs = new Set<string>()
  for (let index = 0; index + 1 < letters.length; index += 1) pairs.add(letters.slice(index, index + 2))
  return pairs
}
