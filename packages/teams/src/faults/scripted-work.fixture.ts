import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '@quire/agent/agent-error'
import type { JsonObject } from '@quire/agent/json'
import type { ModelRequest } from '@quire/agent/model'
import type { Tool } from '@quire/agent/tool'
import { createMembers } from '../members/create-members.ts'
import { createSupervisorCalls } from '../members/create-supervisor-calls.ts'
import type { Members, MemberWork, Step } from '../members/members.ts'
import { createScriptedModels, type ScriptedAnswer } from '../members/scripted-model.fixture.ts'
import type { SupervisorCalls } from '../members/supervisor-calls.ts'
import type { Ledger } from './ledger.fixture.ts'

/** What a task makes its member do. It stands in the task's description, so that every process can read it. */
export interface WorkPlan {
  /** Of the tool, one after the other. */
  readonly calls: number
  /** The first so many attempts fail, after their first call. */
  readonly failures: number
  /** How often the supervisor returns the result. */
  readonly rejections: number
  /** What each answer, each call and each verdict takes. */
  readonly stepMs: number
}

export const workPlanOf = (description: string): WorkPlan => JSON.parse(description)

export const SUPERVISOR = 'boss'
export const modelOf = (memberName: string) => `scripted:${memberName}`

const TOOL = 'change_the_world'
const SUPERVISOR_STEP_MS = 10

/** Members whose models and tools do as the task's plan says. They remember nothing: what they do next shows from what they are sent. */
export function createScriptedMembers(ledger: Ledger): Members {
  return Object.freeze({
    async *run(work: MemberWork): AsyncGenerator<Step> {
      const line = { task: work.task.id, attempt: work.task.attempts }
      ledger.write({ kind: 'run', ...line, at: Date.now() })
      try {
        yield* createMembers({
          models: createScriptedModels({ [work.member.model ?? '']: (request) => answer(work, request) }),
          tools: { toolsOf: async () => [createTool(work, ledger)] },
        }).run(work)
      } finally {
        ledger.write({ kind: 'ran', ...line, at: Date.now() })
      }
    },
  })
}

/** The number of results so far names the next call. So one that is made again in vain is known by its key. */
async function answer(
  { task }: MemberWork,
  { messages, signal }: Pick<ModelRequest, 'messages' | 'signal'>,
): Promise<ScriptedAnswer> {
  const { calls, failures, stepMs } = workPlanOf(task.description)
  await delay(stepMs, undefined, { signal })
  const results = messages.filter((message) => message.role === 'tool')
  const made = results.filter(({ result }) => result.isError !== true).length
  if (task.attempts <= failures && made >= Math.min(1, calls))
    return new AgentError('unavailable', 'The provider is down, as planned.')
  if (made >= calls) return `Done: ${task.title}`
  return { calls: [{ id: `call-${results.length + 1}`, name: TOOL }] }
}

function createTool({ task }: MemberWork, ledger: Ledger): Tool {
  const { stepMs } = workPlanOf(task.description)
  return {
    name: TOOL,
    description: 'Takes effect, and puts it down.',
    inputSchema: { type: 'object' },
    async execute(_args, { idempotencyKey = '', signal }) {
      await delay(stepMs / 2, undefined, { signal })
      ledger.write({ kind: 'effect', key: idempotencyKey, task: task.id, at: Date.now() })
      await delay(stepMs / 2, undefined, { signal })
      return { content: [{ type: 'text', text: 'It is changed.' }] }
    },
  }
}

/** Chooses one who is free, and returns results as often as the plan says. */
export function createScriptedSupervisor(ledger: Ledger): SupervisorCalls {
  return Object.freeze({
    async route(call) {
      const { name } = call.candidates.find(({ isBusy }) => !isBusy) ?? call.candidates[0] ?? { name: '' }
      return saying('assign_task', { member: name, reason: 'It is free.' }).route(call)
    },
    async review(call) {
      const line = { task: call.task.id, attempt: call.task.attempts }
      ledger.write({ kind: 'run', ...line, at: Date.now() })
      try {
        const approved = call.earlierReasons.length >= workPlanOf(call.task.description).rejections
        return await saying('review_result', { approved, reasons: 'As planned.' }).review(call)
      } finally {
        ledger.write({ kind: 'ran', ...line, at: Date.now() })
      }
    },
  } satisfies SupervisorCalls)
}

function saying(name: string, args: JsonObject): SupervisorCalls {
  const models = createScriptedModels({
    [modelOf(SUPERVISOR)]: async ({ signal }) => {
      await delay(SUPERVISOR_STEP_MS, undefined, { signal })
      return { calls: [{ name, args }] }
    },
  })
  return createSupervisorCalls({ models })
}
