import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchServer, median } from '../child.ts'
import { openConnection } from '../composer/raw-http.ts'
import { startQuire } from './contenders.ts'
import { toPost } from './prompt-client.ts'

const CONVERSATIONS = 10_000
const CLIENTS = 16
const PAGE = 100
const LISTS = 300
const WARM_UP_LISTS = 300
const MEBIBYTE = 1024 * 1024

/** Many conversations in the store: what a page of their list takes, and that they are in no memory. */
export async function benchStoredConversations(): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  try {
    const none = await withQuire(home, idleHeap)
    const after = await withQuire(home, async (server) => {
      await makeConversations(server.port, CONVERSATIONS)
      return idleHeap(server)
    })
    const stored = await withQuire(home, idleHeap)
    const times = await withQuire(home, ({ port }) => timeLists(port))
    const mebibytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(2)
    return [
      `a page of ${PAGE} of ${CONVERSATIONS} conversations   ${median(times).toFixed(1)} ms at the median (aim: under 20)`,
      `idle heap over ${CONVERSATIONS} conversations   ${(stored / none).toFixed(3)} of that over none (aim: at most 1.05); ${mebibytes(stored)} against ${mebibytes(none)} MiB, ${mebibytes(after)} in the process that made them`,
    ]
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** After a few prompts and lists, so that what is loaded late is there in each. */
async function idleHeap(server: BenchServer): Promise<number> {
  await makeConversations(server.port, CLIENTS)
  await list(server.port, 1)
  const { heapBytes } = await server.usage({ collected: true })
  return heapBytes
}

async function makeConversations(port: number, count: number): Promise<void> {
  let left = count
  async function drive(): Promise<void> {
    const connection = await openConnection(port)
    while (left > 0) {
      left -= 1
      const message = `What can you do, number ${left}?`
      const { status, body } = await connection.send(toPost('/api/v1/agents/guide/prompt', { message }))
      if (status !== 200 || !body.includes('{"type":"done"}') || !body.includes('"type":"text"'))
        throw new Error(`the guide answered ${status}: ${body.slice(0, 500)}`)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: CLIENTS }, drive))
}

async function timeLists(port: number): Promise<number[]> {
  await list(port, WARM_UP_LISTS)
  return list(port, LISTS)
}

async function list(port: number, count: number): Promise<number[]> {
  const connection = await openConnection(port)
  const request = `GET /api/v1/conversations?limit=${PAGE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  const times: number[] = []
  for (let asked = 0; asked < count; asked += 1) {
    const startedAt = performance.now()
    const { status, body } = await connection.send(request)
    times.push(performance.now() - startedAt)
    const { conversations, total } = JSON.parse(body)
    if (status !== 200 || conversations.length !== Math.min(PAGE, total))
      throw new Error(`${status}: ${conversations?.length} of ${total} conversations`)
  }
  connection.close()
  return times
}

async function withQuire<Result>(
  home: string,
  use: (server: BenchServer) => Promise<Result>,
): Promise<Result> {
  const server = await startQuire(home)
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}
