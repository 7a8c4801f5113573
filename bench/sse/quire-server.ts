// A stream as the services have them: behind all guards, over an event source that waits, with heartbeats.
import { serve } from '@quire/kit/serve/serve'
import { createSse } from '@quire/kit/stream/sse'
import { report } from '../child.ts'
import { createGuardedApp } from '../guarded-app.ts'

const { app, logger } = createGuardedApp()
const sse = createSse({ logger })
app.get('/events', (c) =>
  sse.response(c, async function* (signal) {
    yield { data: 'hello' }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }),
)
const { port } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
report(port)
