import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { choice, object } from '@quire/kit/app/request-fields'
import { needs } from '@quire/kit/app/route-table'
import { IdempotencyKey, NewTask, Task } from '../contract.ts'
import { TASK_STATUSES } from '../task.ts'
import {
  body,
  CONFLICT,
  INVALID,
  json,
  page,
  REFUSED,
  taskParams,
  teamParams,
  UNKNOWN,
  UNREADABLE,
} from './declare.ts'
import { knownTask, knownTeam } from './known-ids.ts'
import type { TeamsParts } from './parts.ts'
import { toTaskBody, toTaskDraft } from './task-view.ts'

const tags = ['tasks']
const IDEMPOTENCY_KEY = 'idempotency-key'

export function mountTasks(app: ServiceApp, { teams }: Pick<TeamsParts, 'teams'>): void {
  const create = createRoute({
    tags,
    method: 'post',
    path: '/teams/{team_id}/tasks',
    operationId: 'createTask',
    summary: 'Give a team a task, in every state of the team',
    description:
      'With an `Idempotency-Key` the request can be sent again: the same key gives the same task, with another body it is refused.',
    security: needs('teams:write'),
    request: {
      params: teamParams,
      headers: z.object({ [IDEMPOTENCY_KEY]: IdempotencyKey.optional() }),
      ...body(NewTask),
    },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...INVALID,
      ...UNKNOWN,
      200: json('The task that came of this key before, as it is now', Task),
      201: json('The new task, which is pending', Task),
    },
  })
  app.openapi(create, async (c) => {
    const teamId = knownTeam(c.req.valid('param'))
    const key = c.req.valid('header')[IDEMPOTENCY_KEY]
    const { task, isNew } = await teams.createTask(teamId, toTaskDraft(c.req.valid('json')), key)
    return c.json(toTaskBody(task), isNew ? 201 : 200)
  })

  const list = createRoute({
    tags,
    method: 'get',
    path: '/teams/{team_id}/tasks',
    operationId: 'listTasks',
    summary: 'The tasks of a team, in the order in which they were created',
    security: needs('teams:read'),
    request: {
      params: teamParams,
      query: object({
        status: choice(TASK_STATUSES).optional().openapi({ description: 'Only those of this status' }),
        ...page,
      }),
    },
    responses: { ...REFUSED, ...INVALID, ...UNKNOWN, 200: json('The tasks', z.array(Task)) },
  })
  app.openapi(list, async (c) => {
    const teamId = knownTeam(c.req.valid('param'))
    const tasks = await teams.listTasks(teamId, c.req.valid('query'))
    return c.json(tasks.map(toTaskBody), 200)
  })

  const one = createRoute({
    tags,
    method: 'get',
    path: '/teams/{team_id}/tasks/{task_id}',
    operationId: 'getTask',
    summary: 'One task, with its result',
    security: needs('teams:read'),
    request: { params: taskParams },
    responses: { ...REFUSED, ...UNKNOWN, 200: json('The task', Task) },
  })
  app.openapi(one, async (c) => {
    const { teamId, taskId } = knownTask(c.req.valid('param'))
    return c.json(toTaskBody(await teams.getTask(teamId, taskId)), 200)
  })

  const cancel = createRoute({
    tags,
    method: 'post',
    path: '/teams/{team_id}/tasks/{task_id}/cancel',
    operationId: 'cancelTask',
    summary: 'Cancel a task that has not ended, down to the model and the tools',
    security: needs('teams:write'),
    request: { params: taskParams },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...CONFLICT,
      200: json('The task, which is cancelled', Task),
    },
  })
  app.openapi(cancel, async (c) => {
    const { teamId, taskId } = knownTask(c.req.valid('param'))
    return c.json(toTaskBody(await teams.cancelTask(teamId, taskId)), 200)
  })

  const retry = createRoute({
    tags,
    method: 'post',
    path: '/teams/{team_id}/tasks/{task_id}/retry',
    operationId: 'retryTask',
    summary: 'Let a task that failed or was cancelled be done once more',
    security: needs('teams:write'),
    request: { params: taskParams },
    responses: { ...REFUSED, ...UNREADABLE, ...UNKNOWN, ...CONFLICT, 200: json('The task', Task) },
  })
  app.openapi(retry, async (c) => {
    const { teamId, taskId } = knownTask(c.req.valid('param'))
    return c.json(toTaskBody(await teams.retryTask(teamId, taskId)), 200)
  })
}
