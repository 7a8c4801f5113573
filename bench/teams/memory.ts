import { openConnection } from '../composer/raw-http.ts'
import { createFile, createTeam, startService, toPost, untilDone } from './service.ts'

const TASKS = 100_000
const WARM_UP = 2_000
const CLIENTS = 16
const MEBIBYTE = 1024 * 1024

/** What the process holds after many tasks, against what it held after a few. */
export async function benchMemory(): Promise<string[]> {
  const database = await createFile()
  const server = await startService(database)
  try {
    const team = await createTeam(server.port, 'instant')
    await complete(server.port, team, WARM_UP)
    const idle = await server.usage({ collected: true })
    const startedAt = performance.now()
    await complete(server.port, team, TASKS)
    const seconds = (performance.now() - startedAt) / 1_000
    const after = await server.usage({ collected: true })
    const line = (what: string, before: number, now: number) =>
      `${what} after ${TASKS} tasks   ${(now / before).toFixed(3)} of idle (aim: at most 1.2); ${(now / MEBIBYTE).toFixed(1)} against ${(before / MEBIBYTE).toFixed(1)} MiB`
    return [
      line('heap', idle.heapBytes, after.heapBytes),
      line('resident', idle.rssBytes, after.rssBytes),
      `${TASKS} tasks over HTTP to one team, SQLite   ${(TASKS / seconds).toFixed(0)} completed per second`,
    ]
  } finally {
    await server.stop()
    await database.drop()
  }
}

async function complete(port: number, team: string, count: number): Promise<void> {
  let left = count
  const request = toPost(`${team}/tasks`, { title: 'Count the words' })
  async function drive(): Promise<void> {
    const connection = await openConnection(port)
    while (left > 0) {
      left -= 1
      const { status, body } = await connection.send(request)
      if (status !== 201) throw new Error(`${status}: ${body}`)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: CLIENTS }, drive))
  await untilDone(port, team)
}
