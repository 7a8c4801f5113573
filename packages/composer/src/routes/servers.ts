import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { Principal } from '@quire/kit/auth/principal'
import { ComposerError } from '../composer-error.ts'
import { Failure, ServerDetail, ServerDone, ServerList, ServerState } from '../contract.ts'
import { text } from '../request-fields.ts'
import { ServerHistory } from '../server-history-contract.ts'
import { MOST_RUNS } from '../supervisor/server-history.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { json, REFUSED, UNKNOWN } from './declare.ts'
import { listNames, quoteName } from './known-names.ts'
import { pageQuery, slicePage } from './page.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'
import { createServerRecords } from './server-record.ts'
import { toServerRun } from './server-run.ts'

type ServerParts = Pick<ComposerParts, 'supervisor' | 'catalog' | 'calls' | 'redactor' | 'viewOf' | 'record'>

const MANAGES = 'servers:manage'
const tags = ['servers']
const params = z.object({ server_id: text(256) })

/** Each with what it leaves behind. */
const ACTIONS = { start: 'running', stop: 'stopped', restart: 'running' } as const

export function mountServers(app: ServiceApp, prefix: string, parts: ServerParts): void {
  const { supervisor } = parts

  const recordsFor = (principal: Principal) => createServerRecords(parts, principal)

  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/servers`,
    operationId: 'listServers',
    summary: 'The configured servers',
    security: needs('tools:list'),
    request: { query: z.object({ ...pageQuery, status: ServerState.optional() }) },
    responses: { ...REFUSED, 200: json('The servers, in the order of the configuration', ServerList) },
  })
  app.openapi(list, (c) => {
    const { status, ...wanted } = c.req.valid('query')
    const { toServer, knows } = recordsFor(c.get('principal'))
    const found = supervisor
      .servers()
      .filter(({ name }) => knows(name))
      .filter((server) => status === undefined || server.status().state === status)
    const { items, page } = slicePage(found, wanted)
    return c.json({ servers: items.map(toServer), ...page }, 200)
  })

  const one = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/servers/{server_id}`,
    operationId: 'getServer',
    summary: 'One server, and why it last failed',
    security: needs('tools:list'),
    request: { params },
    responses: { ...REFUSED, ...UNKNOWN, 200: json('The server', ServerDetail) },
  })
  app.openapi(one, (c) => {
    const { toDetail, knows } = recordsFor(c.get('principal'))
    return c.json(toDetail(requireServer(supervisor, c.req.valid('param').server_id, knows)), 200)
  })

  const history = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/servers/{server_id}/history`,
    operationId: 'getServerHistory',
    summary: `When a server was started, when it ended and why: its last ${MOST_RUNS} runs`,
    security: needs('tools:list'),
    request: { params },
    responses: { ...REFUSED, ...UNKNOWN, 200: json('Its runs, the newest first', ServerHistory) },
  })
  app.openapi(history, (c) => {
    const { knows, sees } = recordsFor(c.get('principal'))
    const server = requireServer(supervisor, c.req.valid('param').server_id, knows)
    const withReason = sees(server.name)
    const runs = server.history().map((run) => toServerRun(run, { redactor: parts.redactor, withReason }))
    return c.json({ runs }, 200)
  })

  for (const [action, state] of Object.entries(ACTIONS) as [keyof typeof ACTIONS, string][]) {
    const route = createRoute({
      tags,
      method: 'post',
      path: `${prefix}/servers/{server_id}/${action}`,
      operationId: `${action}Server`,
      summary: `${action.charAt(0).toUpperCase()}${action.slice(1)} a server; answers when it is ${state}, or has failed`,
      security: needs(MANAGES),
      request: { params },
      responses: {
        ...REFUSED,
        ...UNKNOWN,
        200: json(`It is ${state}`, ServerDone),
        500: json('It could not be started', Failure),
      },
    })
    app.openapi(route, async (c) => {
      const name = c.req.valid('param').server_id
      const server = await recorded(
        c,
        parts.record,
        { method: `servers/${action}`, target: name },
        async (deed) => {
          const found = requireServer(supervisor, name, recordsFor(c.get('principal')).knows)
          deed.server = found.name
          await found[action]()
          return found
        },
      )
      const message = `The server ${quoteName(server.name)} is ${server.status().state}.`
      return c.json({ message, server: recordsFor(c.get('principal')).toDetail(server) }, 200)
    })
  }
}

function requireServer(
  supervisor: ServerParts['supervisor'],
  name: string,
  knows: (server: string) => boolean,
): SupervisedServer {
  const server = supervisor.find(name)
  if (server && knows(server.name)) return server
  const names = listNames(
    supervisor
      .servers()
      .map((known) => known.name)
      .filter(knows),
    'none',
  )
  throw new ComposerError('SERVER_NOT_FOUND', `There is no server ${quoteName(name)}. Configured: ${names}.`)
}
