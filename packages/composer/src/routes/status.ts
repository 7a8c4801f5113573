import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs, open } from '@quire/kit/app/route-table'
import { createServerSight } from '../access/server-sight.ts'
import {
  Composition,
  Failure,
  Health,
  MetricsMessage,
  NotReady,
  type ServerState,
  Status,
  Version,
} from '../contract.ts'
import { json, REFUSED } from './declare.ts'
import { healthOf } from './health.ts'
import { everyTool } from './offers.ts'
import type { ComposerParts } from './parts.ts'
import { createServerRecords } from './server-record.ts'

type StatusParts = Pick<
  ComposerParts,
  | 'version'
  | 'supervisor'
  | 'catalog'
  | 'calls'
  | 'redactor'
  | 'metrics'
  | 'viewOf'
  | 'isReady'
  | 'uptimeSeconds'
  | 'conflictResolution'
>

const tags = ['status']

const NOT_READY = Object.freeze({
  detail: 'The configuration has not been applied yet. Ask again in a moment.',
  error_code: 'NOT_READY',
})

export function mountStatus(app: ServiceApp, prefix: string, parts: StatusParts): void {
  const { version, supervisor, catalog, metrics, uptimeSeconds } = parts

  const health = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/health`,
    operationId: 'health',
    summary: 'Whether the composer and its servers are well',
    security: open,
    responses: {
      200: json('The composer answers; `status` says how its servers are', Health),
      400: json('It takes no query parameters', Failure),
      503: json('No configuration has been applied yet', NotReady),
    },
  })
  app.openapi(health, (c) => {
    const rest = { version, uptime_seconds: uptimeSeconds() }
    return parts.isReady()
      ? c.json({ status: healthOf(supervisor.servers()), ...rest }, 200)
      : c.json({ status: 'unhealthy' as const, ...rest, ...NOT_READY }, 503)
  })

  const versionRoute = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/version`,
    operationId: 'version',
    summary: 'Which composer this is',
    security: needs(),
    responses: { ...REFUSED, 200: json('The versions', Version) },
  })
  app.openapi(versionRoute, (c) =>
    c.json(
      { version, api_version: 'v1' as const, node_version: process.version, platform: process.platform },
      200,
    ),
  )

  const status = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/status`,
    operationId: 'status',
    summary: 'How many servers run, and what they offer',
    security: needs('tools:list'),
    responses: { ...REFUSED, 200: json('The numbers', Status) },
  })
  app.openapi(status, (c) => {
    const principal = c.get('principal')
    const view = parts.viewOf(principal)
    const { knows } = createServerSight(catalog, { view, principal })
    const servers = supervisor.servers()
    const states = servers.filter(({ name }) => knows(name)).map((server) => server.status().state)
    const count = (wanted: ServerState) => states.filter((state) => state === wanted).length
    const body: Status = {
      status: healthOf(servers),
      servers: {
        total: states.length,
        running: count('running'),
        stopped: count('stopped'),
        crashed: count('crashed'),
        starting: count('starting'),
        stopping: count('stopping'),
      },
      capabilities: {
        tools: everyTool(catalog, view).length,
        prompts: catalog.prompts(view).length,
        resources: catalog.resources(view).length,
      },
      uptime_seconds: uptimeSeconds(),
    }
    return c.json(body, 200)
  })

  const composition = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/status/composition`,
    operationId: 'composition',
    summary: 'What each server brings, and where two bring the same',
    security: needs('tools:list'),
    responses: { ...REFUSED, 200: json('The composition', Composition) },
  })
  app.openapi(composition, (c) => {
    const principal = c.get('principal')
    const view = parts.viewOf(principal)
    const { offersOf, knows, seesConflict } = createServerRecords(parts, principal)
    const body: Composition = {
      servers: supervisor
        .servers()
        .filter(({ name }) => knows(name))
        .map((server) => ({ name: server.name, state: server.status().state, ...offersOf(server.name) })),
      conflicts: catalog
        .conflicts()
        .filter(seesConflict)
        .map(({ type, name, servers, resolution }) => ({ type, name, servers: [...servers], resolution })),
      conflict_resolution: parts.conflictResolution(),
      total_tools: everyTool(catalog, view).length,
      total_prompts: catalog.prompts(view).length,
      total_resources: catalog.resources(view).length,
    }
    return c.json(body, 200)
  })

  const metricsRoute = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/status/metrics`,
    operationId: 'metrics',
    summary: 'The numbers that /ws/metrics sends every second',
    security: needs('logs:read'),
    responses: { ...REFUSED, 200: json('The numbers', MetricsMessage) },
  })
  app.openapi(metricsRoute, (c) => c.json(metrics.snapshot(), 200))
}
