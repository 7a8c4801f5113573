/** Whether a glob (`*` is any run of characters, `?` is one) matches some text that begins with this one. The time is bounded by the product of the lengths. */
export function reachesInto(pattern: string, start: string): boolean {
  const parts = [...pattern]
  let places: ReadonlySet<number> = new Set([0])
  for (const letter of start) {
    const next = new Set<number>()
    for (const place of places)
      for (let at = place; at < parts.length; at += 1) {
        const part = parts[at]
        if (part === '*') next.add(at)
        else if (part === '?' || part === letter) next.add(at + 1)
        if (part !== '*') break
      }
    if (next.size === 0) return false
    places = next
  }
  return true
}
