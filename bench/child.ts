import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface BenchServer {
  readonly port: number
  /** Asks the server what it has used so far. */
  usage(): Promise<Usage>
  stop(): Promise<void>
}

export interface Usage {
  readonly cpuMicroseconds: number
  readonly heapBytes: number
  readonly rssBytes: number
}

/** Starts a server of the benchmarks in a process of its own, so that its CPU and memory are its own too. */
export async function startServer(file: string): Promise<BenchServer> {
  const child = spawn(process.execPath, ['--expose-gc', file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error(`${file} has no output`)
  const lines = createInterface({ input: child.stdout })
  const [port] = await once(lines, 'line', { signal: AbortSignal.timeout(20_000) })
  return {
    port: Number(port),
    async usage() {
      child.send('usage')
      const [usage] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) })
      return usage as Usage
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** The server's side of it: prints the port, and answers for its usage after a full collection. */
export function report(port: number): void {
  process.stdout.write(`${port}\n`)
  process.on('message', () => {
    globalThis.gc?.()
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({
      cpuMicroseconds: user + system,
      heapBytes: heapUsed + external,
      rssBytes: rss,
    } satisfies Usage)
  })
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
