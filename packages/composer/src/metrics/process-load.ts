import { totalmem } from 'node:os'

export interface ProcessLoad {
  readonly cpuPercent: number
  readonly memoryPercent: number
}

/** Several readers look at once; each on its own would see the load of a few milliseconds. */
const SHORTEST_WINDOW_MS = 500

/** What this process needs of the machine: CPU since the last look, 100 being one core, and of the memory that it may use. */
export function createProcessLoad(now: () => number = () => performance.now()): () => ProcessLoad {
  // Without a limit the first is a number beyond all memory, or 0.
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  let usage = process.cpuUsage()
  let since = now()
  let cpuPercent = 0

  return function readLoad() {
    const elapsedMs = now() - since
    if (elapsedMs >= SHORTEST_WINDOW_MS) {
      const { user, system } = process.cpuUsage(usage)
      cpuPercent = rounded((user + system) / (elapsedMs * 10))
      usage = process.cpuUsage()
      since += elapsedMs
    }
    return { cpuPercent, memoryPercent: rounded((process.memoryUsage.rss() / memory) * 100) }
  }
}

function rounded(percent: number): number {
  return Math.round(percent * 100) / 100
}
