import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface BenchServer {
  readonly port: number
  /** Asks the server what it has used so far; for its memory after a full collection, which also throws away compiled code. */
  usage(options?: { collected: boolean }): Promise<Usage>
  stop(): Promise<void>
}

export interface Usage {
  readonly cpuMicroseconds: number
  readonly heapBytes: number
  readonly rssBytes: number
}

/** Starts a server of the benchmarks in a process of its own, so that its CPU and memory are its own too. */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const child = spawn(process.execPath, ['--expose-gc', file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  })
  if (!child.stdout) throw new Error(`${file} has no output`)
  const lines = createInterface({ input: child.stdout })
  const died = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`${file} ended with ${code} before it listened`)),
  )
  const [port] = await Promise.race([once(lines, 'line', { signal: AbortSignal.timeout(20_000) }), died])
  // From now on its end is `stop`'s.
  died.catch(() => undefined)
  return {
    port: Number(port),
    async usage({ collected } = { collected: false }) {
      child.send({ collected })
      const [usage] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) })
      return usage as Usage
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** The server's side of it: prints the port, and answers for its usage. */
export function report(port: number): void {
  process.stdout.write(`${port}\n`)
  process.on('message', ({ collected }: { collected: boolean }) => {
    // As under pressure: otherwise the engine keeps the pages of past load, and what is resident tells of that alone.
    if (collected) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
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
