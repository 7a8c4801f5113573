import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { object } from '@quire/kit/app/request-fields'
import { needs } from '@quire/kit/app/route-table'
import { CallerError, type FieldError } from '@quire/kit/errors'
import { NewTeam, Team, TeamChanges, TeamMetrics, TeamSummary } from '../contract.ts'
import type { Budget } from '../team.ts'
import { body, CONFLICT, INVALID, json, page, REFUSED, teamParams, UNKNOWN, UNREADABLE } from './declare.ts'
import { knownTeam } from './known-ids.ts'
import type { TeamsParts } from './parts.ts'
import { changeBudget, toDraft, toMetricsBody, toTeamBody, toTeamSummary } from './team-view.ts'

type TeamParts = Pick<TeamsParts, 'teams' | 'faultsIn' | 'defaultModel'>

const tags = ['teams']

export function mountTeams(app: ServiceApp, parts: TeamParts): void {
  const { teams, defaultModel } = parts

  const create = createRoute({
    tags,
    method: 'post',
    path: '/teams',
    operationId: 'createTeam',
    summary: 'Make a team; it does nothing before it is started',
    security: needs('teams:write'),
    request: body(NewTeam),
    responses: { ...REFUSED, ...UNREADABLE, ...INVALID, 201: json('The new team', Team) },
  })
  app.openapi(create, async (c) => {
    const draft = toDraft(c.req.valid('json'), defaultModel)
    assertNone(await parts.faultsIn(draft))
    return c.json(toTeamBody(await teams.create(draft)), 201)
  })

  const list = createRoute({
    tags,
    method: 'get',
    path: '/teams',
    operationId: 'listTeams',
    summary: 'All teams, in the order in which they were made',
    security: needs('teams:read'),
    request: { query: object(page) },
    responses: { ...REFUSED, ...INVALID, 200: json('The teams', z.array(TeamSummary)) },
  })
  app.openapi(list, async (c) => c.json((await teams.list(c.req.valid('query'))).map(toTeamSummary), 200))

  const one = createRoute({
    tags,
    method: 'get',
    path: '/teams/{team_id}',
    operationId: 'getTeam',
    summary: 'One team',
    security: needs('teams:read'),
    request: { params: teamParams },
    responses: { ...REFUSED, ...UNKNOWN, 200: json('The team', Team) },
  })
  app.openapi(one, async (c) => c.json(toTeamBody(await teams.get(knownTeam(c.req.valid('param')))), 200))

  const update = createRoute({
    tags,
    method: 'patch',
    path: '/teams/{team_id}',
    operationId: 'updateTeam',
    summary: 'Raise or change the budget of a team, in every state of it',
    description: 'A team that paused because its budget was spent goes on when it is resumed.',
    security: needs('teams:write'),
    request: { params: teamParams, ...body(TeamChanges) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...INVALID,
      ...UNKNOWN,
      200: json('The team as it is now', Team),
    },
  })
  app.openapi(update, async (c) => {
    const teamId = knownTeam(c.req.valid('param'))
    const { budget: changes } = c.req.valid('json')
    const team = await teams.get(teamId)
    const toChanged = (budget: Budget) => (changes ? changeBudget(budget, changes) : {})
    const faults = await parts.faultsIn({ ...team, budget: toChanged(team.budget ?? {}) })
    // What has become of its members meanwhile is another matter.
    assertNone(faults.filter(({ path }) => path.startsWith('budget.')))
    return c.json(toTeamBody(await teams.changeBudget(teamId, toChanged)), 200)
  })

  const remove = createRoute({
    tags,
    method: 'delete',
    path: '/teams/{team_id}',
    operationId: 'deleteTeam',
    summary: 'Remove a team that is not running, with its tasks and events; work still in flight is aborted',
    security: needs('teams:write'),
    request: { params: teamParams },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...CONFLICT,
      204: { description: 'It is gone' },
    },
  })
  app.openapi(remove, async (c) => {
    await teams.delete(knownTeam(c.req.valid('param')))
    return c.body(null, 204)
  })

  const metrics = createRoute({
    tags,
    method: 'get',
    path: '/teams/{team_id}/metrics',
    operationId: 'getTeamMetrics',
    summary: 'How many tasks a team has done and has to do, and what they cost',
    security: needs('teams:read'),
    request: { params: teamParams },
    responses: { ...REFUSED, ...UNKNOWN, 200: json('The metrics', TeamMetrics) },
  })
  app.openapi(metrics, async (c) =>
    c.json(toMetricsBody(await teams.metrics(knownTeam(c.req.valid('param')))), 200),
  )
}

function assertNone(faults: readonly FieldError[]): void {
  const errors = faults.map(({ path, message }) => ({ path: `body.${path}`, message }))
  const [first] = errors
  if (first) throw new CallerError('validation', `${first.path}: ${first.message}`, { errors })
}
