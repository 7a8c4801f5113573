// A stream as the services have them: behind all guards, over an event source that waits, with heartbeats.
import { createApp } from '@quire/kit/app/create-app'
import { createKeyRing, keysFromTokens } from '@quire/kit/auth/key-ring'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { serve } from '@quire/kit/serve/serve'
import { createSse } from '@quire/kit/stream/sse'
import { report } from '../child.ts'

const logger = createLogger({ level: 'info', pretty: false, destination: { write: () => undefined } })
const sse = createSse({ logger })
const app = createApp({
  errorBody: ({ detail }) => ({ detail }),
  guards: {},
  authentication: {
    realm: 'bench',
    verify: createKeyRing(keysFromTokens(['bench-token-0123456789'], 'bench')).verify,
  },
  logger,
  metrics: createMetrics({ service: 'bench' }),
})
app.get('/events', (c) =>
  sse.response(c, async function* (signal) {
    yield { data: 'hello' }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }),
)
const { port } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
report(port)
