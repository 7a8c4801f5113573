import { createRoute, z } from '@hono/zod-openapi'
import { type AppOptions, createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import { open } from '@quire/kit/app/route-table'
import type { ServiceEntry } from '../services.ts'
import { renderPage } from './page.ts'
import { stylesheet } from './stylesheet.ts'

export interface HomeOptions {
  readonly version: string
  readonly services: readonly ServiceEntry[]
  readonly app: Omit<AppOptions, 'errorBody' | 'publicPatterns'>
}

export const Health = z.object({
  status: z.literal('healthy'),
  version: z.string(),
  uptime_seconds: z.number(),
  services: z.record(z.string(), z.literal('running')),
})
export type Health = z.infer<typeof Health>

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'health',
  security: open,
  responses: {
    200: {
      description: 'All services that are mounted',
      content: { 'application/json': { schema: Health } },
    },
  },
})

/** What `quire up` itself answers: the front page, the health of the whole, and its metrics. */
export function createHome({ version, services, app: options }: HomeOptions): ServiceApp {
  const startedAt = performance.now()
  const health = (): Health => ({
    status: 'healthy',
    version,
    uptime_seconds: Math.floor((performance.now() - startedAt) / 1000),
    services: Object.fromEntries(services.map(({ name }) => [name, 'running' as const])),
  })
  const app = createApp({
    ...options,
    errorBody: ({ detail }) => ({ detail }),
    publicPatterns: ['/', '/home.css'],
  })
  app.openapi(healthRoute, (c) => c.json(health(), 200))
  app.get('/', (c) =>
    c.html(renderPage(health(), services), 200, { 'content-security-policy': CONTENT_SECURITY_POLICY }),
  )
  app.get('/home.css', (c) =>
    c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' }),
  )
  const { metrics } = options
  if (metrics) mountMetrics(app, metrics)
  return app
}
