import { openConnection } from '../composer/raw-http.ts'
import {
  type BenchDatabase,
  call,
  createCluster,
  createFile,
  createTeam,
  MEMBERS,
  startService,
  toPost,
  until,
} from './service.ts'

const STORED = 10_000
const CLIENTS = 16
const AIM_SECONDS = Object.freeze({ sqlite: 5, postgres: 15 })

/** A process that is killed over many stored tasks: when the next is ready, and when it is at the interrupted ones again. */
export async function benchRestarts(): Promise<string[]> {
  const lines: string[] = []
  for (const create of [createFile, createCluster]) {
    const database = await create()
    try {
      lines.push(await measure(database))
    } finally {
      await database.drop()
    }
  }
  return lines
}

async function measure(database: BenchDatabase): Promise<string> {
  const first = await startService(database)
  const team = await createTeam(first.port, 'held')
  await createTasks(first.port, team, STORED)
  await untilHeld(first.port, MEMBERS.length)
  await first.stop()
  const killedAt = performance.now()
  const second = await startService(database)
  try {
    await until(() => call(second.port, 'GET', '/ready').then(isReady, isNotYet))
    const readyMs = performance.now() - killedAt
    await untilHeld(second.port, MEMBERS.length)
    const seconds = (performance.now() - killedAt) / 1_000
    const metrics = await call(second.port, 'GET', `${team}/metrics`)
    if (metrics.tasks_total !== STORED) throw new Error(`${metrics.tasks_total} tasks are left of ${STORED}`)
    return `killed over ${STORED} tasks, ${database.kind.padEnd(9)} ready ${readyMs.toFixed(0)} ms after the start (aim: 2000), interrupted tasks run ${seconds.toFixed(1)} s after the kill (aim: ${AIM_SECONDS[database.kind]})`
  } finally {
    await second.stop()
  }
}

async function untilHeld(port: number, count: number): Promise<void> {
  await until(async () => (await call(port, 'GET', '/held')) >= count)
}

async function createTasks(port: number, team: string, count: number): Promise<void> {
  let left = count
  const request = toPost(`${team}/tasks`, { title: 'Wait', timeout_seconds: 3_600 })
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
}

const isReady = () => true
const isNotYet = () => false
