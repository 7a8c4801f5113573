import { median } from '../child.ts'
import { openConnection } from '../composer/raw-http.ts'
import { createFile, createTeam, startService, toPost, untilDone } from './service.ts'

const CREATIONS = 500
const WARM_UP = 200
const BODY = Object.freeze({ title: 'Count the words' })

/** How long a client waits for the acknowledgement of a task, which is committed then. */
export async function benchCreations(): Promise<string[]> {
  const database = await createFile()
  const server = await startService(database)
  try {
    const lines: string[] = []
    for (const [what, isStarted] of [
      ['team at rest', false],
      ['team at work', true],
    ] as const) {
      const team = await createTeam(server.port, 'instant', isStarted)
      await time(server.port, team, WARM_UP)
      const times = await time(server.port, team, CREATIONS)
      if (isStarted) await untilDone(server.port, team)
      const sorted = times.toSorted((one, other) => one - other)
      const late = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
      lines.push(
        `POST …/tasks, SQLite, ${what}       ${median(times).toFixed(2)} ms at the median (aim: under 5), ${late.toFixed(1)} for one in a hundred`,
      )
    }
    return lines
  } finally {
    await server.stop()
    await database.drop()
  }
}

async function time(port: number, team: string, count: number): Promise<number[]> {
  const connection = await openConnection(port)
  const request = toPost(`${team}/tasks`, BODY)
  const times: number[] = []
  for (let created = 0; created < count; created += 1) {
    const startedAt = performance.now()
    const { status, body } = await connection.send(request)
    times.push(performance.now() - startedAt)
    if (status !== 201) throw new Error(`${status}: ${body}`)
  }
  connection.close()
  return times
}
