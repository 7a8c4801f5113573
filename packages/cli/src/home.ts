import { createRoute, z } from '@hono/zod-openapi'
import { type AppOptions, createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import { open } from '@quire/kit/app/route-table'
import { mountUi, toPrefix, uiPatterns } from '@quire/kit/ui/mount-ui'
import type { UiFiles } from '@quire/kit/ui/ui-files'

export interface HomeOptions {
  readonly version: string
  /** The web pages. Absent: they are not built. */
  readonly ui?: UiFiles | undefined
  /** The address that clients see. */
  readonly publicUrl?: string | undefined
  readonly app: Omit<AppOptions, 'errorBody' | 'publicPatterns'>
}

const Health = z.object({
  status: z.literal('healthy'),
  version: z.string(),
  uptime_seconds: z.number(),
  services: z.record(z.string(), z.literal('running')),
})
type Health = z.infer<typeof Health>

/** The services by the path that `quire up` mounts them at. */
const SERVICES = Object.freeze({
  notebook: '/notebook',
  runtime: '/runtime',
  composer: '/composer',
  teams: '/teams',
})

const UI_PATH = '/ui'
const NOT_BUILT =
  'Quire is running. Its web pages are not built: "npm run build" builds them, then start Quire again.\n'

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
export function createHome({ version, ui, publicUrl, app: options }: HomeOptions): ServiceApp {
  const startedAt = performance.now()
  const health = (): Health => ({
    status: 'healthy',
    version,
    uptime_seconds: Math.floor((performance.now() - startedAt) / 1000),
    services: Object.fromEntries(Object.keys(SERVICES).map((name) => [name, 'running' as const])),
  })
  const app = createApp({
    ...options,
    errorBody: ({ detail }) => ({ detail }),
    publicPatterns: ['/', ...uiPatterns(UI_PATH)],
  })
  app.openapi(healthRoute, (c) => c.json(health(), 200))
  const prefix = toPrefix(publicUrl)
  if (ui) {
    const services = Object.fromEntries(Object.entries(SERVICES).map(([name, path]) => [name, prefix + path]))
    const served = { version, services, composerApi: '/api/v1' }
    mountUi(app, { files: ui, path: UI_PATH, prefix, served })
  }
  // A browser keeps what stands behind "#" of the address that it is sent on from.
  app.get('/', (c) => (ui ? c.redirect(`${prefix}${UI_PATH}/`) : c.text(NOT_BUILT)))
  const { metrics } = options
  if (metrics) mountMetrics(app, metrics)
  return app
}
