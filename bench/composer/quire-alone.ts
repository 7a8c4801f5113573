import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startServer } from '../child.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { serverTable, startQuire, type Target } from './gateways.ts'
import { load, percentile } from './load.ts'
import { followLogs } from './log-followers.ts'
import { FOUND_COUNT, SEARCHED, TOOL_COUNT } from './many-tools.ts'
import { type LoadClient, openClient } from './mcp-client.ts'
import { openConnection } from './raw-http.ts'

const CALLS = 100_000
const CLIENTS = 16
const MAX_SECONDS = 75
const SEARCHES = 200
const PAGE = 100
const FOLLOWERS = 500
const LINES_PER_SECOND = 10
const LINES = 100
const SERVERS = 10
const IDLE_MS = 3000
const MEBIBYTE = 1024 * 1024

type Command = readonly string[]

/** Many calls to two servers at once: each answer must be the one to its own call. */
export async function benchExactness(command: Command): Promise<string> {
  const http = await startServer(join(import.meta.dirname, 'echo-http-server.ts'))
  try {
    const target: Target = { kind: 'http', url: `http://127.0.0.1:${http.port}/mcp` }
    const toml = serverTable('first', toStdio('echo')) + serverTable('second', target)
    return await withQuire(command, toml, 2, async ({ endpoint, tools }) => {
      const wrong: string[] = []
      const opened = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(endpoint)))
      const clients = opened.map((client) => countFaults(client, wrong))
      const [half, calls] = [CLIENTS / 2, CALLS / 2]
      const startedAt = performance.now()
      const results = await Promise.all([
        load(clients.slice(0, half), tools[0] ?? '', { seconds: MAX_SECONDS, calls }),
        load(clients.slice(half), tools[1] ?? '', { seconds: MAX_SECONDS, calls }),
      ])
      const seconds = (performance.now() - startedAt) / 1000
      await Promise.all(opened.map((client) => client.close()))
      const answered = results.reduce((sum, result) => sum + result.calls, 0)
      const first = wrong.length > 0 ? `; the first: ${wrong[0]}` : ''
      return `${answered} calls to two servers, ${CLIENTS} clients   ${wrong.length} crossed or lost (aim: 0) in ${seconds.toFixed(1)} s${first}`
    })
  } finally {
    await http.stop()
  }
}

/** A page of the REST list, searched over all tools. */
export function benchToolSearch(command: Command): Promise<string> {
  const toml = serverTable('many', toStdio('many-tools'))
  return withQuire(command, toml, TOOL_COUNT, async ({ endpoint: { port } }) => {
    const connection = await openConnection(port)
    const request = `GET /api/v1/tools?search=${SEARCHED}&limit=${PAGE} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
    const times: number[] = []
    for (let count = 0; count < SEARCHES; count += 1) {
      const startedAt = performance.now()
      const { status, body } = await connection.send(request)
      times.push(performance.now() - startedAt)
      const { tools, total } = JSON.parse(body)
      if (status !== 200 || tools.length !== PAGE || total !== FOUND_COUNT)
        throw new Error(`${status}: ${tools?.length} of ${total} tools`)
    }
    connection.close()
    return `a page of ${PAGE} tools, searched in ${TOOL_COUNT}   p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms (aim: at most 50)`
  })
}

/** Many readers of the log at once: each must get each line, in order. */
export function benchLogFollowers(command: Command): Promise<string> {
  return withQuire(command, serverTable('chatty', toStdio('chatty')), 1, async (quire) => {
    const { port } = quire.endpoint
    const followers = await followLogs(`ws://127.0.0.1:${port}/ws/logs?server=chatty&history=0`, FOLLOWERS)
    const client = await openClient(quire.endpoint)
    const before = quire.cpuMs()
    await client.call(quire.tools[0] ?? '', `${LINES} ${LINES_PER_SECOND}`)
    await client.close()
    const { received, outOfOrder } = await followers.untilEach(
      LINES,
      (LINES / LINES_PER_SECOND) * 1000 + 10_000,
    )
    const used = quire.cpuMs() - before
    const lost = FOLLOWERS * LINES - received
    return `${FOLLOWERS} readers of /ws/logs, ${LINES_PER_SECOND} lines a second   ${lost} lines lost, ${outOfOrder} out of order (aim: 0); ${((used * 1000) / received).toFixed(0)} µs of CPU a line and reader`
  })
}

export function benchIdleMemory(command: Command): Promise<string> {
  const tables = Array.from({ length: SERVERS }, (_, index) => serverTable(`echo${index}`, toStdio('echo')))
  return withQuire(command, tables.join('\n'), SERVERS, async (quire) => {
    await wait(IDLE_MS)
    const before = quire.cpuMs()
    await wait(IDLE_MS)
    const busy = (quire.cpuMs() - before) / IDLE_MS
    return `idle with ${SERVERS} servers   ${(quire.rssBytes() / MEBIBYTE).toFixed(0)} MiB of our own process (aim: at most 120), ${(busy * 100).toFixed(1)} % of a core`
  })
}

async function withQuire(
  command: Command,
  toml: string,
  tools: number,
  use: (quire: GatewayProcess) => Promise<string>,
): Promise<string> {
  const quire = await startQuire(command, toml, tools)
  try {
    return await use(quire)
  } finally {
    await quire.stop()
  }
}

function toStdio(name: 'echo' | 'many-tools' | 'chatty'): Target {
  const file = name === 'echo' ? 'echo-stdio-server.ts' : `${name}-server.ts`
  return { kind: 'stdio', command: [process.execPath, join(import.meta.dirname, file)] }
}

function countFaults(client: LoadClient, wrong: string[]): LoadClient {
  return {
    ...client,
    call: (tool, payload) =>
      client.call(tool, payload).catch((error: unknown) => void wrong.push(String(error))),
  }
}
