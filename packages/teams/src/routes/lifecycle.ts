import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { Team } from '../contract.ts'
import { CONFLICT, json, REFUSED, teamParams, UNKNOWN, UNREADABLE } from './declare.ts'
import { knownTeam } from './known-ids.ts'
import type { TeamsParts } from './parts.ts'
import { toTeamBody } from './team-view.ts'

/** What each of them does is said of the operation, not of the state. */
const SUMMARIES = Object.freeze({
  start: 'Start a team that is a draft or stopped: what is pending is begun',
  stop: 'Stop a team that is running or paused: running tasks are aborted, go back to pending and are kept',
  pause: 'Pause a running team: running tasks finish, none is begun',
  resume: 'Resume a paused team: what is pending is begun',
})

export function mountLifecycle(app: ServiceApp, { teams }: Pick<TeamsParts, 'teams'>): void {
  for (const operation of ['start', 'stop', 'pause', 'resume'] as const) {
    const route = createRoute({
      tags: ['lifecycle'],
      method: 'post',
      path: `/teams/{team_id}/${operation}`,
      operationId: `${operation}Team`,
      summary: SUMMARIES[operation],
      security: needs('teams:run'),
      request: { params: teamParams },
      responses: {
        ...REFUSED,
        ...UNREADABLE,
        ...UNKNOWN,
        ...CONFLICT,
        200: json('The team as it is now', Team),
      },
    })
    app.openapi(route, async (c) =>
      c.json(toTeamBody(await teams[operation](knownTeam(c.req.valid('param')))), 200),
    )
  }
}
