import { createLogger } from '@quire/kit/log'
import { openStore } from '@quire/kit/store/store'
import { vi } from 'vitest'
import { createMembers } from '../members/create-members.ts'
import { createSupervisorCalls } from '../members/create-supervisor-calls.ts'
import {
  createScriptedModels,
  type ScriptedAnswers,
  type ScriptedModelsOptions,
} from '../members/scripted-model.fixture.ts'
import type { Task, TaskDraft, TaskStatus } from '../task.ts'
import type { Member, Team, TeamDraft } from '../team.ts'
import type { TeamEventType } from '../team-event.ts'
import { createEngine } from './create-engine.ts'

const silent = createLogger({ level: 'silent', pretty: false })

export interface ProcessOptions extends ScriptedModelsOptions {
  /** By the names of members: what their models answer. */
  readonly script?: Readonly<Record<string, ScriptedAnswers>>
  readonly concurrency?: number
  readonly now?: () => Date
  /** It works on no tasks. */
  readonly isIdle?: boolean
}

export const DRAFT: TaskDraft = Object.freeze({
  title: 'Count the words',
  description: '',
  priority: 'medium',
  dependsOn: [],
  timeoutSeconds: 300,
  maxRetries: 2,
})

function member(name: string): Member {
  return { name, model: `scripted:${name}`, systemPrompt: `You are ${name}.`, mcpToolsets: [] }
}

export type TestProcess = Awaited<ReturnType<typeof startProcess>>

/** What one process of the service has: a store of its own, and the engine on it. */
export async function startProcess(url: string, options: ProcessOptions = {}) {
  const { script = {}, concurrency, now, isIdle = false } = options
  const byModel = Object.fromEntries(
    Object.entries(script).map(([name, answers]) => [`scripted:${name}`, answers]),
  )
  const models = createScriptedModels(byModel, options)
  const store = await openStore(url)
  const engine = await createEngine({
    store,
    members: createMembers({ models, tools: { toolsOf: async () => [] } }),
    supervisor: createSupervisorCalls({ models }),
    logger: silent,
    concurrency,
    now,
  })
  if (!isIdle) engine.start()
  const { teams } = engine

  async function createTeam(names: readonly string[], draft: Partial<TeamDraft> = {}): Promise<Team> {
    return teams.create({ name: 'Team', executionMode: 'parallel', members: names.map(member), ...draft })
  }

  async function createTask(team: Team, draft: Partial<TaskDraft> = {}): Promise<Task> {
    const { task } = await teams.createTask(team.id, { ...DRAFT, ...draft })
    return task
  }

  return {
    ...{ engine, teams, models, store, createTeam, createTask },
    async startedTeam(names: readonly string[], draft: Partial<TeamDraft> = {}) {
      return teams.start((await createTeam(names, draft)).id)
    },
    async until(task: Task, ...statuses: readonly TaskStatus[]): Promise<Task> {
      let now = task
      await eventually(async () => {
        now = await teams.getTask(task.teamId, task.id)
        return statuses.includes(now.status)
      })
      return now
    },
    async eventTypes(team: Team): Promise<readonly TeamEventType[]> {
      return (await teams.lastEvents(team.id, 1_000)).map(({ type }) => type)
    },
    async stop() {
      await engine.close()
      await store.close()
    },
  }
}

export const eventually = (condition: () => boolean | Promise<boolean>) =>
  vi.waitUntil(condition, { timeout: 30_000, interval: 20 })
