import { createLogger } from '@quire/kit/log'
import { openStore } from '@quire/kit/store/store'
import { createEngine } from '../../packages/teams/src/engine/create-engine.ts'
import { createMembers } from '../../packages/teams/src/members/create-members.ts'
import { createSupervisorCalls } from '../../packages/teams/src/members/create-supervisor-calls.ts'
import { createScriptedModels } from '../../packages/teams/src/members/scripted-model.fixture.ts'
import type { TaskDraft } from '../../packages/teams/src/task.ts'
import { median } from '../child.ts'
import { type BenchDatabase, createCluster, createFile, MEMBERS, startService, until } from './service.ts'
import { openFloor } from './store-floor.ts'

const TASKS = 400
const ROUNDS = 5
const CLIENTS = 8
const WORKERS = 2

const DRAFT: TaskDraft = Object.freeze({
  title: 'Count the words',
  description: '',
  priority: 'medium',
  dependsOn: [],
  timeoutSeconds: 300,
  maxRetries: 2,
})

/** From the creation to the stored end of tasks whose model answers at once, against the same rows written by the store alone, in turns. */
export async function benchLifecycles(): Promise<string[]> {
  const lines: string[] = []
  for (const [create, workers] of [
    [createFile, 0],
    [createCluster, WORKERS],
  ] as const) {
    const database = await create()
    const [servers, floor, engine] = [
      // Here the engine works itself; there it only creates.
      await Promise.all(Array.from({ length: workers }, () => startService(database))),
      await openFloor(database.url),
      await openEngine(database, workers === 0),
    ]
    try {
      const rates = { floor: [] as number[], quire: [] as number[] }
      for (let round = 0; round <= ROUNDS; round += 1) {
        const floorRate = await perSecond(() => inTurns(floor.writeTask))
        const rate = await perSecond(engine.completeTasks)
        // The first one warms up.
        if (round === 0) continue
        rates.floor.push(floorRate)
        rates.quire.push(rate)
      }
      const rate = { floor: median(rates.floor), quire: median(rates.quire) }
      const ratio = median(rates.quire.map((own, round) => own / (rates.floor[round] ?? Number.NaN)))
      const who = workers === 0 ? `${database.kind}, one process` : `${database.kind}, ${workers} workers`
      const aim = workers === 0 ? ' (aim: at least 400)' : ''
      lines.push(
        `complete tasks, ${who.padEnd(22)} ${rate.quire.toFixed(0)} per second${aim}; ${ratio.toFixed(2)} of the store alone (${rate.floor.toFixed(0)})`,
      )
    } finally {
      await engine.close()
      await floor.close()
      for (const server of servers) await server.stop()
      await database.drop()
    }
  }
  return lines
}

async function openEngine({ url }: BenchDatabase, isWorking: boolean) {
  const store = await openStore(url)
  const models = createScriptedModels({ 'scripted:instant': 'Done.' })
  const engine = await createEngine({
    store,
    members: createMembers({ models, tools: { toolsOf: async () => [] } }),
    supervisor: createSupervisorCalls({ models }),
    logger: createLogger({ level: 'silent', pretty: false }),
  })
  if (isWorking) engine.start()
  const { teams } = engine
  const members = MEMBERS.map((name) => ({
    ...{ name, model: 'scripted:instant', systemPrompt: '', mcpToolsets: [] },
  }))
  const { id } = await teams.create({ name: 'Bench', executionMode: 'parallel', members })
  await teams.start(id)
  return {
    async completeTasks() {
      await inTurns(() => teams.createTask(id, DRAFT))
      await until(async () => (await teams.metrics(id)).tasksPending === 0)
    },
    async close() {
      await engine.close()
      await store.close()
    },
  }
}

async function inTurns(work: () => Promise<unknown>): Promise<void> {
  let left = TASKS
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left > 0) {
        left -= 1
        await work()
      }
    }),
  )
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return TASKS / ((performance.now() - startedAt) / 1_000)
}
