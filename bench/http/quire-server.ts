// A route as the services have them: behind all guards, with a token and a validated body.
import { createRoute, z } from '@hono/zod-openapi'
import { needs } from '@quire/kit/app/route-table'
import { serve } from '@quire/kit/serve/serve'
import { report } from '../child.ts'
import { createGuardedApp } from '../guarded-app.ts'

const { app } = createGuardedApp()
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
