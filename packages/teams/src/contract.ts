import { z } from '@hono/zod-openapi'
import {
  choice,
  flag,
  label,
  list,
  object,
  positiveNumber,
  text,
  wholeNumber,
} from '@quire/kit/app/request-fields'
import { PRIORITIES, TASK_STATUSES } from './task.ts'
import { EXECUTION_MODES, TEAM_STATUSES } from './team.ts'
import { TEAM_EVENT_TYPES } from './team-event.ts'
import { checkMember, checkTeam } from './team-rules.ts'

/** The body of every error. */
export const Failure = z
  .object({
    detail: z.string().openapi({ description: 'What happened, why, and what to do next' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'The faults one by one, where something is of the wrong shape' }),
  })
  .openapi('Failure', { example: { detail: 'There is no team "5f0c". GET /teams lists them.' } })
export type Failure = z.infer<typeof Failure>

export const Health = z.object({ status: z.literal('healthy'), version: z.string() }).openapi('Health')
export const Ready = z.object({ status: z.literal('ready') }).openapi('Ready')
export const NotReady = z.object({ detail: z.string(), reasons: z.array(z.string()) }).openapi('NotReady', {
  example: { detail: 'The database does not answer.', reasons: ['The database does not answer.'] },
})

const LONGEST_NAME = 100
const LONGEST_TITLE = 500
const LONGEST_TEXT = 256 * 1024
const LONGEST_URL = 2_048
const MOST_MEMBERS = 100
const MOST_TOOLSETS = 64
const MOST_STEPS = 100
const MOST_TOKENS = 1_000_000_000_000
const MOST_DOLLARS = 1_000_000_000
const MOST_DEPENDENCIES = 100
const LONGEST_TASK_SECONDS = 86_400
const MOST_RETRIES = 10

export const DEFAULT_TIMEOUT_SECONDS = 300
export const DEFAULT_MAX_RETRIES = 2

const Model = text(256).regex(/^[a-z0-9][a-z0-9-]*:\S+$/, {
  error: 'must be "provider:model", such as "openai:gpt-5" or "builtin:guide"',
})
const AgentUrl = text(LONGEST_URL).regex(/^https?:\/\/[\x21-\x7e]+$/, {
  error: 'must be the address of an agent, such as "http://127.0.0.1:8765/api/v1/agents/guide"',
})

/** Null is as good as absent, in all that may be absent. */
const NewMember = object({
  name: label(LONGEST_NAME).openapi({ description: 'Unique in the team', example: 'Ada' }),
  model: Model.nullish().openapi({
    description: '`provider:model`. Absent: the default model, unless there is `agent_url`',
    example: 'builtin:guide',
  }),
  system_prompt: text(LONGEST_TEXT, 0).nullish().openapi({ example: 'You find sources and quote them.' }),
  mcp_toolsets: list(label(LONGEST_NAME), MOST_TOOLSETS)
    .nullish()
    .openapi({ description: 'Names of toolsets of this service', example: [] }),
  max_steps: wholeNumber(1, MOST_STEPS)
    .nullish()
    .openapi({ description: 'How often the model is asked at the most in one attempt' }),
  agent_url: AgentUrl.nullish().openapi({
    description: 'In place of a model: an agent of an agent runtime, at an address that this service allows',
  }),
})
  .superRefine(checkMember)
  .openapi('NewMember')

const NewSupervisor = object({
  member_name: label(LONGEST_NAME).openapi({ description: 'One of the members', example: 'Ada' }),
  review_required: flag().nullish().openapi({
    description: 'Whether results go to the supervisor before a task is complete; false by default',
  }),
}).openapi('NewSupervisor')

const limits = {
  max_tokens: wholeNumber(1, MOST_TOKENS)
    .nullish()
    .openapi({ description: 'Of prompts and answers together', example: 200_000 }),
  max_cost_usd: positiveNumber(MOST_DOLLARS)
    .nullish()
    .openapi({ description: 'Needs members whose models have a price', example: 2.5 }),
}

const NewBudget = object(limits).refine(
  ({ max_tokens, max_cost_usd }) => typeof (max_tokens ?? max_cost_usd) === 'number',
  {
    error: 'limits nothing: give "max_tokens", "max_cost_usd" or both, or leave it out',
  },
)

export const NewTeam = object({
  name: label(LONGEST_NAME).openapi({ example: 'Writers' }),
  description: text(LONGEST_TEXT, 0).nullish(),
  execution_mode: choice(EXECUTION_MODES).openapi({
    description:
      '`sequential`: one task at a time, in order. `parallel`: one for each free member. `supervisor`: as parallel, and the supervisor says who gets a task that is for nobody in particular.',
    example: 'parallel',
  }),
  members: list(NewMember, MOST_MEMBERS, 1),
  supervisor: NewSupervisor.nullish(),
  budget: NewBudget.nullish().openapi({
    description: 'Looked at before each request to a model. A team that has spent it pauses.',
  }),
})
  .superRefine(checkTeam)
  .openapi('NewTeam', {
    example: {
      name: 'Writers',
      execution_mode: 'parallel',
      members: [
        { name: 'Ada', model: 'builtin:guide', system_prompt: 'You find sources and quote them.' },
        { name: 'Bob', model: 'builtin:guide', system_prompt: 'You write plainly.' },
      ],
      supervisor: { member_name: 'Ada', review_required: true },
    },
  })
export type NewTeam = z.infer<typeof NewTeam>

/** What is left out stays, null takes a limit away. */
export const TeamChanges = object({
  budget: object(limits)
    .nullable()
    .openapi({ description: 'What it leaves out stays as it is; null takes a limit away, or all of them' }),
}).openapi('TeamChanges', { example: { budget: { max_tokens: 400_000 } } })
export type TeamChanges = z.infer<typeof TeamChanges>

export const NewTask = object({
  title: label(LONGEST_TITLE).openapi({ example: 'Find three sources' }),
  description: text(LONGEST_TEXT, 0).nullish().openapi({ example: 'On the history of the pencil.' }),
  priority: choice(PRIORITIES).default('medium'),
  assigned_to: text(LONGEST_NAME)
    .nullish()
    .openapi({ description: 'The name of a member. Absent: whoever is chosen', example: 'Ada' }),
  depends_on: list(text(LONGEST_NAME), MOST_DEPENDENCIES)
    .nullish()
    .openapi({ description: 'Ids of tasks of this team that have to be complete before', example: [] }),
  timeout_seconds: wholeNumber(1, LONGEST_TASK_SECONDS)
    .nullish()
    .openapi({ description: `Of one attempt; ${DEFAULT_TIMEOUT_SECONDS} by default` }),
  max_retries: wholeNumber(0, MOST_RETRIES)
    .nullish()
    .openapi({ description: `Attempts after the first; ${DEFAULT_MAX_RETRIES} by default` }),
}).openapi('NewTask')
export type NewTask = z.infer<typeof NewTask>

/** Of a request that may be sent twice. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters, sent once' })

export const Usage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    cost_usd: z.number().optional().openapi({ description: 'Absent where nobody knows all of the prices' }),
  })
  .openapi('Usage', {
    example: { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500, cost_usd: 0.004 },
  })
export type Usage = z.infer<typeof Usage>

const time = () => z.string().openapi({ format: 'date-time', example: '2026-11-15T14:00:00.000Z' })

const Member = z
  .object({
    name: z.string(),
    model: z.string().optional(),
    system_prompt: z.string(),
    mcp_toolsets: z.array(z.string()),
    max_steps: z.int().optional(),
    agent_url: z.string().optional(),
  })
  .openapi('Member')

const Supervisor = z.object({ member_name: z.string(), review_required: z.boolean() }).openapi('Supervisor')

const Budget = z
  .object({ max_tokens: z.int().optional(), max_cost_usd: z.number().optional() })
  .openapi('Budget')

const TeamStatus = z.enum(TEAM_STATUSES)

export const Team = z
  .object({
    team_id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    status: TeamStatus,
    execution_mode: z.enum(EXECUTION_MODES),
    members: z.array(Member),
    supervisor: Supervisor.optional(),
    budget: Budget.optional(),
    usage: Usage,
    created_at: time(),
    started_at: time().optional().openapi({ description: 'The last start' }),
    pause_reason: z.string().optional().openapi({ description: 'Where it paused by itself' }),
    tasks_active: z.int().openapi({ description: 'Assigned, in progress or in review' }),
  })
  .openapi('Team')
export type Team = z.infer<typeof Team>

export const TeamSummary = z
  .object({
    team_id: z.string(),
    name: z.string(),
    status: TeamStatus,
    members_count: z.int(),
    tasks_active: z.int(),
  })
  .openapi('TeamSummary')
export type TeamSummary = z.infer<typeof TeamSummary>

export const TaskStatus = z.enum(TASK_STATUSES)

export const Task = z
  .object({
    task_id: z.string(),
    team_id: z.string(),
    title: z.string(),
    description: z.string(),
    status: TaskStatus,
    priority: z.enum(PRIORITIES),
    assigned_to: z
      .string()
      .nullable()
      .openapi({ description: 'The member that has it, else the one that was asked for' }),
    depends_on: z.array(z.string()),
    timeout_seconds: z.int(),
    max_retries: z.int(),
    result: z.string().nullable(),
    error: z
      .object({ message: z.string(), code: z.string() })
      .nullable()
      .openapi({ description: 'Why it failed; `code` is for programs' }),
    attempts: z.int().openapi({ description: 'Begun so far' }),
    usage: Usage,
    created_at: time(),
    assigned_at: time().nullable(),
    started_at: time().nullable(),
    ended_at: time().nullable(),
    waiting_for: z.string().nullable().openapi({ description: 'Why it is pending' }),
  })
  .openapi('Task')
export type Task = z.infer<typeof Task>

export const TeamMetrics = z
  .object({
    tasks_total: z.int().openapi({ description: 'Completed, failed, cancelled and pending together' }),
    tasks_completed: z.int(),
    tasks_failed: z.int(),
    tasks_pending: z.int().openapi({ description: 'Every task that has not ended' }),
    tasks_cancelled: z.int(),
    tasks_active: z.int().openapi({ description: 'Assigned, in progress or in review' }),
    members_active: z.int().openapi({ description: 'Members that hold an active task' }),
    uptime_seconds: z.number().openapi({ description: 'Since the last start' }),
    usage: Usage,
  })
  .openapi('TeamMetrics')
export type TeamMetrics = z.infer<typeof TeamMetrics>

export const TeamEvent = z
  .object({
    event_type: z.enum(TEAM_EVENT_TYPES),
    team_id: z.string(),
    timestamp: time(),
    seq: z.int().openapi({ description: 'The events of a team are numbered 1, 2, 3 …' }),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi('TeamEvent', {
    example: {
      event_type: 'task_assigned',
      team_id: '0b54c9f2-7a52-4d0e-9a51-0c1d2f6b7a10',
      timestamp: '2026-11-15T14:00:00.000Z',
      seq: 3,
      data: { task_id: '5e1c0e38-45b6-4a0f-8a35-1f6fd1fd2f6e', assigned_to: 'Ada' },
    },
  })
export type TeamEvent = z.infer<typeof TeamEvent>
