import { loadavg } from 'node:os'
import { benchCreations } from './creations.ts'
import { benchLifecycles } from './lifecycles.ts'
import { benchMemory } from './memory.ts'
import { benchReaders } from './readers.ts'
import { benchRestarts } from './restarts.ts'

/** What durable teams cost beside the store that they are kept in, and what they stand. */
export async function benchTeams(): Promise<string[]> {
  const lines: string[] = []
  for (const bench of [benchLifecycles, benchCreations, benchRestarts, benchReaders, benchMemory]) {
    // What has been measured so far is told all the same.
    const told = await bench().catch((error: unknown) => [`${bench.name} failed: ${String(error)}`])
    lines.push(...told)
  }
  return [...lines, `load of the machine meanwhile: ${loadavg()[1]?.toFixed(1)}`, '']
}
