type Item = Readonly<Record<string, unknown>>

/** For each new item the old one that it was, if any: by its name, else by being the same, else by its place. */
export function matchItems(before: readonly Item[], after: readonly Item[]): readonly (number | undefined)[] {
  const free = new Set(before.keys())
  const matches = new Map<number, number>()
  const match = (indexOf: (item: Item, at: number) => number | undefined) => {
    for (const [at, item] of after.entries()) {
      const index = matches.has(at) ? undefined : indexOf(item, at)
      if (index !== undefined && free.delete(index)) matches.set(at, index)
    }
  }
  const byName = new Map(before.map((item, index) => [identityOf(item), index]))
  const byContent = new Map(before.map((item, index) => [JSON.stringify(item), index]))
  match((item) => (identityOf(item) === undefined ? undefined : byName.get(identityOf(item))))
  match((item) => byContent.get(JSON.stringify(item)))
  match((_, at) => at)
  return after.map((_, at) => matches.get(at))
}

/** By which a person tells one item of a list from another. */
export function identityOf(item: Item): string | undefined {
  const identity = item.name ?? item.subject ?? item.tool_pattern
  return typeof identity === 'string' ? identity : undefined
}
