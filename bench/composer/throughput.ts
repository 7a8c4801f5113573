import { join } from 'node:path'
import { median, startServer } from '../child.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { Gateway, Target } from './gateways.ts'
import { percentile } from './load.ts'
import { type LoadProcess, startLoadProcess } from './load-process.ts'

const SECONDS = 2
/**
 * Before each turn, and longer before the first: a program of many modules takes tens of thousands of calls until all of it is compiled, and the engine
 * throws some of that away while others have their turn. A relay of twenty lines needs none of it.
 */
const WARM_UP_SECONDS = 2
const FIRST_WARM_UP_SECONDS = 6
const ROUNDS = 3
const CLIENTS = [1, 16] as const

interface Measured {
  readonly gateway: Gateway
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpuMsPerCall: number
}

interface Running {
  readonly gateway: Gateway
  readonly process: GatewayProcess
  readonly load: LoadProcess
  readonly tool: string
}

/** An echo behind each gateway, a program and an HTTP server, one client and many: tables of calls a second, in turns. */
export async function benchThroughput(gateways: readonly Gateway[]): Promise<string[]> {
  const http = await startServer(join(import.meta.dirname, 'echo-http-server.ts'))
  const program = join(import.meta.dirname, 'echo-stdio-server.ts')
  const targets: readonly Target[] = [
    { kind: 'stdio', command: [process.execPath, program] },
    { kind: 'http', url: `http://127.0.0.1:${http.port}/mcp` },
  ]
  const lines: string[] = []
  try {
    for (const target of targets) lines.push(...(await benchTarget(gateways, target)))
  } finally {
    await http.stop()
  }
  return lines
}

async function benchTarget(gateways: readonly Gateway[], target: Target): Promise<string[]> {
  const { running, failures } = await startAll(gateways, target)
  try {
    const lines: string[] = [...failures]
    for (const clients of CLIENTS) {
      const measured = await measureInTurns(running, clients)
      lines.push(
        '',
        ...toTable(`${target.kind} server, ${clients} client${clients > 1 ? 's' : ''}`, measured),
      )
    }
    return lines
  } finally {
    for (const { load } of running) load.stop()
    await Promise.all(running.map(({ process }) => process.stop()))
  }
}

/** One that does not start is reported, and the others are measured without it. */
async function startAll(gateways: readonly Gateway[], target: Target) {
  const running: Running[] = []
  const failures: string[] = []
  for (const gateway of gateways.filter(({ kinds }) => kinds.includes(target.kind))) {
    try {
      const process = await gateway.start(target)
      const tool = process.tools.find((name) => name.endsWith('echo'))
      if (tool === undefined) throw new Error(`it offers no echo, but ${process.tools.join(', ')}`)
      running.push({ gateway, process, load: startLoadProcess(), tool })
    } catch (error) {
      failures.push('', `${gateway.name} (${target.kind} server) is left out: ${String(error)}`)
    }
  }
  return { running, failures }
}

async function measureInTurns(running: readonly Running[], count: number): Promise<Measured[]> {
  const rates = running.map((): number[] => [])
  const cpu = running.map((): number[] => [])
  const latencies = running.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { process, load, tool }] of running.entries()) {
      await load.open(process.endpoint, count)
      await load.load(tool, round === 0 ? FIRST_WARM_UP_SECONDS : WARM_UP_SECONDS)
      const before = process.cpuMs()
      const result = await load.load(tool, SECONDS)
      const used = process.cpuMs() - before
      await load.close()
      rates[index]?.push(result.perSecond)
      cpu[index]?.push(used / result.calls)
      latencies[index]?.push(...result.latencies)
    }
  }
  return running.map(({ gateway }, index) => ({
    gateway,
    perSecond: median(rates[index] ?? []),
    cpuMsPerCall: median(cpu[index] ?? []),
    p50: percentile(latencies[index] ?? [], 0.5),
    p99: percentile(latencies[index] ?? [], 0.99),
  }))
}

function toTable(title: string, measured: readonly Measured[]): string[] {
  const floor = rateOf(measured, 'floor')
  const peer = rateOf(measured, 'peer')
  return [
    `| ${title} | calls/s | of the floor | of the best peer | p50 ms | p99 ms | CPU ms per call |`,
    '|---|---:|---:|---:|---:|---:|---:|',
    ...measured.map(({ gateway, perSecond, p50, p99, cpuMsPerCall }) => {
      const cells = [
        gateway.name,
        perSecond.toFixed(0),
        (perSecond / floor).toFixed(2),
        Number.isFinite(peer) ? (perSecond / peer).toFixed(2) : '-',
        p50.toFixed(2),
        p99.toFixed(2),
        cpuMsPerCall.toFixed(3),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}

function rateOf(measured: readonly Measured[], role: Gateway['role']): number {
  return Math.max(
    ...measured.filter(({ gateway }) => gateway.role === role).map(({ perSecond }) => perSecond),
  )
}
