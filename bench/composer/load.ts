import type { LoadClient } from './mcp-client.ts'

export interface Load {
  readonly calls: number
  readonly perSecond: number
  /** In milliseconds, one for each call. */
  readonly latencies: readonly number[]
}

/** Every client calls as soon as its last call was answered, until the time or the calls are used up. Each payload is used once, and each answer is looked at. */
export async function load(
  clients: readonly LoadClient[],
  tool: string,
  until: { readonly seconds: number; readonly calls?: number },
): Promise<Load> {
  const latencies: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + until.seconds * 1000
  let left = until.calls ?? Number.POSITIVE_INFINITY
  let count = 0

  async function drive(client: LoadClient, index: number): Promise<void> {
    for (let now = performance.now(); now < endsAt && left > 0; ) {
      left -= 1
      count += 1
      await client.call(tool, `client ${index} call ${count} of ${startedAt}`)
      const after = performance.now()
      latencies.push(after - now)
      now = after
    }
  }

  await Promise.all(clients.map(drive))
  const seconds = (performance.now() - startedAt) / 1000
  return { calls: latencies.length, perSecond: latencies.length / seconds, latencies }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
