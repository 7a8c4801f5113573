import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { object, wholeNumberText } from '@quire/kit/app/request-fields'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { TeamEvent } from '../contract.ts'
import type { EventStart } from '../teams.ts'
import { INVALID, REFUSED, teamParams, UNKNOWN } from './declare.ts'
import { createEventFrames, toEventBody } from './event-frames.ts'
import { knownTeam } from './known-ids.ts'
import type { TeamsParts } from './parts.ts'

type EventParts = Pick<TeamsParts, 'teams' | 'sse' | 'streamEnd'>

const DEFAULT_EVENTS = 50
const MOST_EVENTS = 1_000
const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'
const LAST_EVENT_ID = 'last-event-id'

/** Empty is what a reader sends that has seen nothing. */
const LastEventId = z.string().regex(/^(?:|0|[1-9]\d{0,14})$/, {
  error: 'must be the id of an event, as the stream sent it: a whole number',
})

export function mountEvents(app: ServiceApp, parts: EventParts): void {
  const { teams } = parts
  const toFrame = createEventFrames()

  const events = createRoute({
    tags: ['events'],
    method: 'get',
    path: '/teams/{team_id}/events',
    operationId: 'getTeamEvents',
    summary: 'The events of a team: the newest as a list, or all that come as a stream',
    description: `With \`Accept: ${STREAM_TYPE}\` server-sent events: those after \`Last-Event-ID\`, or without it the newest \`limit\`, and then what happens, until the team is deleted. The \`id\` of each is its \`seq\`.`,
    security: needs('teams:read'),
    request: {
      params: teamParams,
      query: object({
        limit: wholeNumberText(1, MOST_EVENTS).optional().openapi({
          type: 'integer',
          minimum: 1,
          maximum: MOST_EVENTS,
          default: DEFAULT_EVENTS,
          description: 'The newest so many, oldest first',
        }),
      }),
      headers: z.object({ [LAST_EVENT_ID]: LastEventId.optional() }),
    },
    responses: {
      ...REFUSED,
      ...INVALID,
      ...UNKNOWN,
      200: {
        description: 'The events',
        content: {
          [JSON_TYPE]: { schema: z.array(TeamEvent) },
          [STREAM_TYPE]: { schema: TeamEvent },
        },
      },
    },
  })
  app.openapi(events, async (c) => {
    const teamId = knownTeam(c.req.valid('param'))
    const { limit = DEFAULT_EVENTS } = c.req.valid('query')
    if (!wantsStream(c))
      return c.json((await teams.lastEvents(teamId, limit)).map(toEventBody), 200, { vary: 'Accept' })
    // Before the answer has begun: afterwards nobody could be told.
    await teams.get(teamId)
    parts.sse.readers.assertRoom(c.get('principal').subject)
    const last = c.req.valid('header')[LAST_EVENT_ID]
    const from = last ? { after: Number(last) } : { last: limit }
    const signal = parts.streamEnd(c.get('principal'))
    return parts.sse.response(c, (gone) => follow(teamId, from, gone), {
      headers: { vary: 'Accept' },
      ...(signal && { signal }),
    })
  })

  async function* follow(teamId: string, from: EventStart, signal: AbortSignal): AsyncGenerator<SseMessage> {
    const found = await teams.events(teamId, from, signal).catch(nothingWhereGone)
    for await (const event of found) yield toFrame(event)
  }
}

/** JSON, unless a stream is named and preferred. */
function wantsStream(c: Context<ServiceEnv>): boolean {
  const type = accepts(c, { header: 'Accept', supports: [JSON_TYPE, STREAM_TYPE], default: JSON_TYPE })
  return type === STREAM_TYPE
}

/** Deleted while the stream was being opened: it ends as all the others do. */
function nothingWhereGone(error: unknown): readonly never[] {
  if (error instanceof CallerError && error.problem.reason === 'not_found') return []
  throw error
}
