import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Endpoint, openClient } from './mcp-client.ts'

export interface GatewayProcess {
  readonly endpoint: Endpoint
  /** As the gateway calls them. */
  readonly tools: readonly string[]
  /** User and system time of the gateway itself, without its children. */
  cpuMs(): number
  rssBytes(): number
  stop(): Promise<void>
}

export interface GatewayStart {
  /** `home` is the folder that holds its files. */
  readonly command: (home: string) => readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly endpoint: Endpoint
  /** It is ready when it offers so many. */
  readonly tools: number
}

const READY_MS = 30_000
const POLL_MS = 100
/** What `getconf CLK_TCK` says on every Linux. */
const TICKS_PER_SECOND = 100

/** Starts a gateway with a home of its own, in a process group that ends with it. */
export async function startGateway(start: GatewayStart): Promise<GatewayProcess> {
  const { endpoint, tools, files = {} } = start
  const home = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text)
  const [program = '', ...args] = start.command(home)
  const child = spawn(program, args, {
    detached: true,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: home,
      XDG_STATE_HOME: home,
      QUIRE_DATA_DIR: home,
    },
  })
  const output = keepLast(child)
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close')
      killGroup(child)
      await closed
    }
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const names = await waitForTools(child, endpoint, tools)
    const pid = child.pid ?? 0
    return { endpoint, tools: names, cpuMs: () => cpuMs(pid), rssBytes: () => rssBytes(pid), stop }
  } catch (error) {
    await stop()
    throw new Error(`${[program, ...args].join(' ')} did not get ready: ${String(error)}\n${output()}`)
  }
}

async function waitForTools(
  child: ChildProcess,
  endpoint: Endpoint,
  wanted: number,
): Promise<readonly string[]> {
  const endsAt = performance.now() + READY_MS
  let why: unknown = 'it never listened'
  while (performance.now() < endsAt) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    try {
      const client = await openClient(endpoint)
      try {
        const names = await client.tools()
        if (names.length >= wanted) return names
        why = `it offers ${names.length} of ${wanted} tools`
      } finally {
        await client.close()
      }
    } catch (error) {
      why = error
    }
    await wait(POLL_MS)
  }
  throw new Error(String(why))
}

function keepLast(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text = (text + piece).slice(-2000)
    })
  }
  return () => text
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // Gone already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

function rssBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024
}
