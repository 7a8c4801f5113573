import { VersionNotSupportedError } from '@a2a-js/sdk/errors'
import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { type Authentication, requireScopes } from '@quire/kit/auth/bearer'
import { anonymous } from '@quire/kit/auth/principal'
import type { Context } from 'hono'
import { mountPrefix } from '../mount-prefix.ts'
import { body, json, REFUSED, teamParams, UNKNOWN, UNREADABLE } from '../routes/declare.ts'
import { knownTeam } from '../routes/known-ids.ts'
import type { TeamsParts } from '../routes/parts.ts'
import { A2A_VERSION, toAgentCard } from './agent-card.ts'
import {
  BROKEN_STREAM,
  NO_REQUEST,
  noMethod,
  type RpcError,
  type RpcId,
  RpcRequest,
  toRpcError,
} from './json-rpc.ts'
import { createMethods, type OpenStream } from './methods.ts'
import { toResponses } from './to-responses.ts'

export interface TeamsA2aParts
  extends Pick<
    TeamsParts,
    'teams' | 'sse' | 'version' | 'logger' | 'streamEnd' | 'isStopping' | 'publicUrl'
  > {
  /** How long whoever waits for the end of a task is kept waiting. */
  readonly waitMs?: number
}

/** Less than the minute after which most proxies give up on an answer. */
const WAIT_MS = 50_000
const PATH = '/teams/{team_id}/a2a'
/** For what goes with a refusal: who calls is known by then. */
const CHALLENGE: Authentication = Object.freeze({ realm: 'teams', verify: () => null })
const tags = ['a2a']
/** Written by hand: results are of many shapes. */
const answer: { readonly description: string } = json('Of JSON-RPC, or a stream of them', z.unknown())

/** Every team is an agent of A2A 1.0: a message to it becomes a task. */
export function mountTeamsA2a(app: ServiceApp, parts: TeamsA2aParts): void {
  const { teams, sse, logger, waitMs = WAIT_MS, isStopping } = parts
  const { answers, streams } = createMethods({ teams, waitMs, isStopping })
  const known = [...answers.keys(), ...streams.keys()]

  const card = createRoute({
    tags,
    method: 'get',
    path: `${PATH}/.well-known/agent-card.json`,
    operationId: 'a2aCard',
    summary: 'The card of a team',
    security: needs('teams:read'),
    request: { params: teamParams },
    responses: { ...REFUSED, ...UNKNOWN, 200: json('The card', z.looseObject({})) },
  })
  app.openapi(card, async (c) => {
    const team = await teams.get(knownTeam(c.req.valid('param')))
    const root = new URL(parts.publicUrl ?? (mountPrefix(c) || '/'), c.req.url).href.replace(/\/+$/, '')
    const isOpen = c.get('principal') === anonymous
    const url = `${root}${PATH.replace('{team_id}', team.id)}`
    return c.json(toAgentCard(team, { url, version: parts.version, isOpen }), 200)
  })

  const call = createRoute({
    tags,
    method: 'post',
    path: PATH,
    operationId: 'a2aCall',
    summary: 'Call a method of A2A 1.0 by JSON-RPC 2.0',
    description: `${known.join(', ')}. To send and to cancel needs \`teams:write\`, the others \`teams:read\`. Failures of a method are answered with 200 and the error of JSON-RPC.`,
    security: needs(),
    request: { params: teamParams, ...body(z.unknown().openapi({ type: 'object' })) },
    responses: { ...REFUSED, ...UNREADABLE, ...UNKNOWN, 200: answer },
  })
  app.openapi(call, async (c) => {
    const request = RpcRequest.safeParse(c.req.valid('json')).data
    const answering = answers.get(request?.method ?? '')
    const streaming = streams.get(request?.method ?? '')
    const { scope = 'teams:read' } = answering ?? streaming ?? {}
    requireScopes(c.get('principal'), [scope], CHALLENGE)
    const team = await teams.get(knownTeam(c.req.valid('param')))
    if (!request) return respond(c, failed(null, NO_REQUEST))
    const { id, method, params } = request
    try {
      requireVersion(c.req.header('a2a-version'))
      const given = { team, params, signal: c.req.raw.signal }
      if (streaming) return stream(c, id, await streaming.run(given))
      if (answering) return respond(c, { jsonrpc: '2.0', id, result: await answering.run(given) })
      return respond(c, failed(id, noMethod(method, known)))
    } catch (error) {
      return respond(c, failed(id, toRpcError(error, logger)))
    }
  })

  function stream(c: Context<ServiceEnv>, id: RpcId, open: OpenStream): Response {
    const signal = parts.streamEnd(c.get('principal'))
    return sse.response(c, (gone) => toResponses(open, id, gone), {
      onError: () => ({ data: JSON.stringify(failed(id, BROKEN_STREAM)) }),
      ...(signal && { signal }),
    })
  }
}

/** Without the header a client of 0.3 is asking, which is not spoken here. A third number says nothing of the wire. */
function requireVersion(header = ''): void {
  if (header === A2A_VERSION || header.startsWith(`${A2A_VERSION}.`)) return
  throw new VersionNotSupportedError(`A2A ${A2A_VERSION} is spoken here: send "A2A-Version: ${A2A_VERSION}".`)
}

function failed(id: RpcId, error: RpcError): object {
  return { jsonrpc: '2.0', id, error }
}

function respond(c: Context<ServiceEnv>, response: object): Response {
  return c.body(JSON.stringify(response), 200, { 'content-type': 'application/json' })
}
