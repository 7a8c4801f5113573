import { z } from '@hono/zod-openapi'
import { choice, label, list, object, text, wholeNumber } from '@quire/kit/app/request-fields'
import { Budget, BudgetChanges, NewBudget, Usage } from './budget-contract.ts'
import {
  LONGEST_NAME,
  LONGEST_TEXT,
  Member,
  NewMember,
  NewSupervisor,
  Supervisor,
} from './member-contract.ts'
import { PRIORITIES, TASK_STATUSES } from './task.ts'
import { EXECUTION_MODES, TEAM_STATUSES } from './team.ts'
import { TEAM_EVENT_TYPES } from './team-event.ts'
import { checkTeam } from './team-rules.ts'

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

const LONGEST_TITLE = 500
const MOST_MEMBERS = 100
const MOST_DEPENDENCIES = 100
const LONGEST_TASK_SECONDS = 86_400
const MOST_RETRIES = 10

export const DEFAULT_TIMEOUT_SECONDS = 300
export const DEFAULT_MAX_RETRIES = 2

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
  budget: BudgetChanges.nullable().openapi({
    description: 'What it leaves out stays as it is; null takes a limit away, or all of them',
  }),
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

const time = () => z.string().openapi({ format: 'date-time', example: '2026-11-15T14:00:00.000Z' })

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

const taskCounts = {
  tasks_total: z.int().openapi({ description: 'Completed, failed, cancelled and pending together' }),
  tasks_completed: z.int(),
  tasks_failed: z.int(),
  tasks_pending: z.int().openapi({ description: 'Every task that has not ended' }),
  tasks_cancelled: z.int(),
  tasks_active: z.int().openapi({ description: 'Assigned, in progress or in review' }),
}

export const TeamSummary = z
  .object({
    team_id: z.string(),
    name: z.string(),
    status: TeamStatus,
    pause_reason: z.string().optional().openapi({ description: 'Where it paused by itself' }),
    execution_mode: z.enum(EXECUTION_MODES),
    members_count: z.int(),
    ...taskCounts,
    budget: Budget.optional(),
    usage: Usage,
  })
  .openapi('TeamSummary', {
    example: {
      team_id: '0b54c9f2-7a52-4d0e-9a51-0c1d2f6b7a10',
      name: 'Writers',
      status: 'running',
      execution_mode: 'parallel',
      members_count: 2,
      tasks_total: 12,
      tasks_completed: 7,
      tasks_failed: 1,
      tasks_pending: 4,
      tasks_cancelled: 0,
      tasks_active: 2,
      budget: { max_tokens: 200_000 },
      usage: { prompt_tokens: 9_000, completion_tokens: 3_500, total_tokens: 12_500 },
    },
  })
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
    ...taskCounts,
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
