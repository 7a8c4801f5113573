import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabases } from '@quire/testbed/test-databases'
import { vi } from 'vitest'
import type { Task } from '../task.ts'
import type { Team } from '../team.ts'
import { type Onlooker, openOnlooker } from './database.fixture.ts'
import { type LedgerLine, readLedgers } from './ledger.fixture.ts'
import { type ServiceProcess, startService } from './process.fixture.ts'
import { modelOf, type WorkPlan } from './scripted-work.fixture.ts'

const DEADLINE_MS = 25_000

/** A database of its own, and the processes on it. */
export interface Stage {
  readonly onlooker: Onlooker
  start(): Promise<ServiceProcess>
  /** Of a team that runs and has one member. */
  createTask(one: ServiceProcess, work: Partial<WorkPlan>): Promise<[Team, Task]>
  linesOf(one: ServiceProcess): readonly LedgerLine[]
  /** The keys of the calls that took effect. */
  effects(): readonly string[]
  until(condition: () => boolean | Promise<boolean>): Promise<void>
}

/** Plays on both databases at the same time: most of it is waiting. */
export async function onBothDatabases(play: (stage: Stage) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(testDatabases.map((database) => onDatabase(database, play)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

async function onDatabase(
  { kind, createDatabase }: (typeof testDatabases)[number],
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const database = await createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'quire-faults-'))
  const onlooker = await openOnlooker(database.url)
  const processes: ServiceProcess[] = []
  const stage: Stage = Object.freeze({
    onlooker,
    async start() {
      const one = await startService(database.url, folder)
      processes.push(one)
      return one
    },
    createTask,
    linesOf: ({ pid }) => readLedgers(folder).get(pid) ?? [],
    effects: () =>
      [...readLedgers(folder).values()].flat().flatMap((line) => (line.kind === 'effect' ? [line.key] : [])),
    async until(condition) {
      await vi.waitUntil(condition, { timeout: DEADLINE_MS, interval: 10 })
    },
  } satisfies Stage)
  try {
    await play(stage)
  } catch (error) {
    throw new Error(`On ${kind}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    await Promise.all(processes.map((one) => one.end('SIGKILL')))
    await onlooker.close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function createTask(one: ServiceProcess, work: Partial<WorkPlan>): Promise<[Team, Task]> {
  const { id } = await one.call('create', {
    name: 'Team',
    executionMode: 'parallel',
    members: [{ name: 'ada', model: modelOf('ada'), systemPrompt: '', mcpToolsets: [] }],
  })
  const team = await one.call('start', id)
  const { task } = await one.call('createTask', team.id, {
    title: 'Count',
    description: JSON.stringify({ calls: 0, failures: 0, rejections: 0, stepMs: 10, ...work }),
    priority: 'medium',
    dependsOn: [],
    timeoutSeconds: 300,
    maxRetries: 2,
  })
  return [team, task]
}
