import { median } from '../child.ts'

interface Runs {
  readonly raw: () => Promise<unknown>
  readonly quire: () => Promise<unknown>
  /** What undoes a round, outside of the times. */
  readonly after?: () => Promise<unknown>
}

/** Medians in milliseconds; the first round warms up. */
export async function inTurns(
  rounds: number,
  runs: Runs,
): Promise<{ readonly raw: number; readonly quire: number }> {
  const times = { raw: [] as number[], quire: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ['raw', 'quire'] as const) {
      const startedAt = performance.now()
      await runs[name]()
      if (round > 0) times[name].push(performance.now() - startedAt)
    }
    await runs.after?.()
  }
  return { raw: median(times.raw), quire: median(times.quire) }
}
