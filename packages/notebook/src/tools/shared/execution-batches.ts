/** Outputs that came close together. */
export interface Batch {
  /** When the last of them came, since the beginning. */
  readonly seconds: number
  readonly count: number
}

const MOST = 10

/** When outputs came, in at most ten steps however many there are: neighbours are put together, from steps of a second on. */
export function createBatches() {
  let batches: Batch[] = []
  let step = 1

  return Object.freeze({
    add(seconds: number): void {
      put({ seconds, count: 1 })
      while (batches.length > MOST) {
        step *= 2
        const finer = batches
        batches = []
        for (const batch of finer) put(batch)
      }
    },
    all: (): readonly Batch[] => batches,
  })

  function put({ seconds, count }: Batch): void {
    const last = batches.at(-1)
    const isSame = last && Math.floor(last.seconds / step) === Math.floor(seconds / step)
    if (isSame) batches[batches.length - 1] = { seconds, count: last.count + count }
    else batches.push({ seconds, count })
  }
}

/** Nothing for a single one: that everything came at once is no news. */
export function batchLines(batches: readonly Batch[]): string[] {
  if (batches.length < 2) return []
  let total = 0
  return batches.map(({ seconds, count }) => {
    total += count
    return `[${seconds.toFixed(1)}s] ${count} new output(s), ${total} total`
  })
}
