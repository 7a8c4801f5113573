import type { Clock } from '@quire/mcp/connection/clock'
import type { MemoryOf } from './group-memory.ts'

const INTERVAL_MS = 2000
const MIB = 1024 * 1024

/** Resolves with a reason when the processes need more than they may, with undefined when the signal aborts. */
export async function watchMemory(
  pid: number,
  maxBytes: number,
  memoryOf: MemoryOf,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    await clock.sleep(INTERVAL_MS, signal)
    if (signal.aborted) return undefined
    const bytes = await memoryOf(pid)
    if (bytes !== undefined && bytes > maxBytes) {
      return `was ended because it used ${toMib(bytes)} MiB of memory, more than its limit of ${toMib(maxBytes)} MiB`
    }
  }
}

function toMib(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)
}
