// A route as the services have them: all guards, a token, a validated body, metrics and an access log (written to nowhere).
import { createRoute, z } from '@hono/zod-openapi'
import { createApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { createKeyRing, keysFromTokens } from '@quire/kit/auth/key-ring'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { serve } from '@quire/kit/serve/serve'
import { report } from '../child.ts'

const app = createApp({
  errorBody: ({ detail }) => ({ detail }),
  guards: {},
  authentication: {
    realm: 'bench',
    verify: createKeyRing(keysFromTokens(['bench-token-0123456789'], 'bench')).verify,
  },
  logger: createLogger({ level: 'info', pretty: false, destination: { write: () => undefined } }),
  metrics: createMetrics({ service: 'bench' }),
})
const Task = z.strictObject({ title: z.string().min(1) })
app.openapi(
  createRoute({
    method: 'post',
    path: '/teams/{team_id}/tasks',
    operationId: 'createTask',
    security: needs('teams:write'),
    request: {
      params: z.object({ team_id: z.string() }),
      body: { required: true, content: { 'application/json': { schema: Task } } },
    },
    responses: { 201: { description: 'the task' } },
  }),
  (c) => c.json({ id: c.req.valid('param').team_id, title: c.req.valid('json').title }, 201),
)
const { port } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
report(port)
