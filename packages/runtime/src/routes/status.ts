import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { open } from '@quire/kit/app/route-table'
import { Health, NotReady, Ready } from '../contract.ts'
import { json } from './declare.ts'
import type { RuntimeParts } from './parts.ts'

type StatusParts = Pick<RuntimeParts, 'version' | 'store' | 'toolsets' | 'requiredToolsets' | 'isStopping'>

const tags = ['status']
const PING_MS = 2_000

export function mountStatus(app: ServiceApp, prefix: string, parts: StatusParts): void {
  const health = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/health`,
    operationId: 'health',
    summary: 'Ask whether the service is alive',
    description: 'Looks at nothing but itself. For whoever starts it anew when it does not answer.',
    security: open,
    responses: { 200: json('It is.', Health) },
  })
  app.openapi(health, (c) => c.json({ status: 'healthy' as const, version: parts.version }, 200))

  const ready = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/ready`,
    operationId: 'ready',
    summary: 'Ask whether the service takes requests',
    description: 'It does when the database answers, the required toolsets are up, and it is not stopping.',
    security: open,
    responses: { 200: json('It does.', Ready), 503: json('It does not, and why.', NotReady) },
  })
  app.openapi(ready, async (c) => {
    const reasons = await findReasons(parts)
    if (reasons.length === 0) return c.json({ status: 'ready' as const }, 200)
    return c.json({ detail: reasons.join(' '), status_code: 503, reasons }, 503)
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
