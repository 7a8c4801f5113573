/** The positions of a longest run of increasing numbers, not necessarily side by side; undefined ones belong to none. */
export function longestRun(numbers: readonly (number | undefined)[]): ReadonlySet<number> {
  /** By length, less one, the position at which the run of that length with the lowest end does end. */
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  numbers.forEach((number, position) => {
    if (number === undefined) return
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[ends[middle] ?? -1] ?? 0) < number) low = middle + 1
      else high = middle
    }
    previous[position] = ends[low - 1]
    ends[low] = position
  })
  const run = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) run.add(at)
  return run
}
