import { createApp, type ServiceApp } from '@quire/kit/app/create-app'
import { createKeyRing, keysFromTokens } from '@quire/kit/auth/key-ring'
import { createLogger, type Logger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'

export const TOKEN = 'bench-token-0123456789'

/** An app as the services have them: all guards, a token, metrics and an access log (written to nowhere). */
export function createGuardedApp(): { app: ServiceApp; logger: Logger } {
  const logger = createLogger({ level: 'info', pretty: false, destination: { write: () => undefined } })
  const app = createApp({
    errorBody: ({ detail }) => ({ detail }),
    guards: {},
    authentication: { realm: 'bench', verify: createKeyRing(keysFromTokens([TOKEN], 'bench')).verify },
    logger,
    metrics: createMetrics({ service: 'bench' }),
  })
  return { app, logger }
}
