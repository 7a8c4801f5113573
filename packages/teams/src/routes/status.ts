import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { open } from '@quire/kit/app/route-table'
import { Health, NotReady, Ready } from '../contract.ts'
import { json } from './declare.ts'
import type { TeamsParts } from './parts.ts'

type StatusParts = Pick<TeamsParts, 'version' | 'store' | 'toolsets' | 'requiredToolsets' | 'isStopping'>

const tags = ['status']
const PING_MS = 2_000

export function mountStatus(app: ServiceApp, parts: StatusParts): void {
  const health = createRoute({
    tags,
    method: 'get',
    path: '/health',
    operationId: 'health',
    summary: 'Whether the service is alive',
    security: open,
    responses: { 200: json('It is', Health) },
  })
  app.openapi(health, (c) => c.json({ status: 'healthy' as const, version: parts.version }, 200))

  const ready = createRoute({
    tags,
    method: 'get',
    path: '/ready',
    operationId: 'ready',
    summary: 'Whether the database answers and the required toolsets are up',
    security: open,
    responses: { 200: json('It is ready', Ready), 503: json('It is not, and why', NotReady) },
  })
  app.openapi(ready, async (c) => {
    const reasons = await findReasons(parts)
    if (reasons.length === 0) return c.json({ status: 'ready' as const }, 200)
    return c.json({ detail: reasons.join(' '), reasons }, 503)
  })
}

/** Everybody may read them: they tell what is missing, not what went wrong with it. */
async function findReasons({
  store,
  toolsets,
  requiredToolsets,
  isStopping,
}: StatusParts): Promise<string[]> {
  const { servers } = toolsets.status()
  const isAnswering = await store.ping({ timeoutMs: PING_MS }).then(
    () => true,
    () => false,
  )
  return [
    ...(isStopping() ? ['The service is stopping.'] : []),
    ...(isAnswering ? [] : ['The database does not answer.']),
    ...requiredToolsets
      .filter((name) => !servers[name]?.ready)
      .map((name) => `The toolset "${name}" is not ready.`),
  ]
}
