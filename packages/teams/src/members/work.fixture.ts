import { NOTHING_SPENT } from '@quire/agent/spent'
import type { Task } from '../task.ts'
import type { Member, Team } from '../team.ts'
import type { BudgetGate, Members, MemberWork, Step } from './members.ts'

export const WRITER: Member = {
  name: 'writer',
  model: 'test:writer',
  systemPrompt: 'You write well.',
  mcpToolsets: [],
}
const BOSS: Member = { name: 'boss', model: 'test:boss', systemPrompt: 'You lead.', mcpToolsets: [] }

export const TASK: Task = {
  id: 'task-1',
  teamId: 'team-1',
  title: 'Report',
  description: 'Write a report on bees.',
  priority: 'medium',
  dependsOn: [],
  timeoutSeconds: 300,
  maxRetries: 2,
  status: 'in_progress',
  attempts: 1,
  rejections: 0,
  spent: NOTHING_SPENT,
  createdAt: '2026-01-01T00:00:00.000Z',
}

export const TEAM: Team = {
  id: 'team-1',
  name: 'Bees',
  executionMode: 'supervisor',
  members: [BOSS, WRITER],
  supervisor: { memberName: 'boss', reviewRequired: true },
  status: 'running',
  createdAt: '2026-01-01T00:00:00.000Z',
  spent: NOTHING_SPENT,
  tasksTotal: 1,
  tasksCompleted: 0,
  tasksFailed: 0,
  tasksCancelled: 0,
  tasksPending: 1,
  tasksActive: 1,
}

export interface CountingGate extends BudgetGate {
  readonly checks: () => number
}

/** Lets so many requests pass, and then throws. */
export function createGate(
  passes = Number.POSITIVE_INFINITY,
  error: Error = new Error('spent'),
): CountingGate {
  let checks = 0
  return {
    checks: () => checks,
    async check() {
      checks += 1
      if (checks > passes) throw error
    },
  }
}

export function workOf(change: Partial<MemberWork> = {}): MemberWork {
  return {
    team: TEAM,
    member: WRITER,
    task: TASK,
    attemptId: 'attempt-1',
    steps: [],
    inputs: [],
    gate: createGate(),
    signal: new AbortController().signal,
    ...change,
  }
}

/** The steps up to the end, and what was thrown there. */
export async function runToEnd(
  members: Members,
  work: MemberWork,
): Promise<{ readonly steps: readonly Step[]; readonly error: unknown }> {
  const steps: Step[] = []
  try {
    for await (const step of members.run(work)) steps.push(step)
  } catch (error) {
    return { steps, error }
  }
  return { steps, error: undefined }
}
