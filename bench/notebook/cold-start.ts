import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from '../child.ts'
import { LAUNCHER } from './tool-process.ts'

const FLOOR = join(import.meta.dirname, 'imports-only-server.ts')

const MESSAGES = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
]

/** From the spawn to the answer of `tools/list`, against the same Node that only imports the MCP SDK and zod; the compile cache is warm for both. */
export async function coldStart(): Promise<string> {
  const times = { floor: [] as number[], quire: [] as number[] }
  for (let round = 0; round < 21; round += 1) {
    const floor = await timed(async () => {
      const { status } = spawnSync(process.execPath, [FLOOR], { stdio: 'ignore' })
      if (status !== 0) throw new Error(`${FLOOR} ended with ${status}`)
    })
    const quire = await timed(listTools)
    if (round === 0) continue
    times.floor.push(floor)
    times.quire.push(quire)
  }
  const [floor, quire] = [median(times.floor), median(times.quire)]
  return `spawn to the answer of tools/list      ${(quire / floor).toFixed(2)} of importing the SDK and zod (aim: at most 2.00); ${quire.toFixed(0)} against ${floor.toFixed(0)} ms`
}

async function timed(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

async function listTools(): Promise<void> {
  const child = spawn(process.execPath, [LAUNCHER, 'notebook', 'start'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  for (const message of MESSAGES) child.stdin.write(`${JSON.stringify(message)}\n`)
  for await (const line of createInterface({ input: child.stdout })) if (JSON.parse(line).id === 2) break
  child.kill('SIGKILL')
  await once(child, 'close')
}
