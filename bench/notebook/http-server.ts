// The notebook service over HTTP, as `quire notebook start` makes it.
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { serve } from '@quire/kit/serve/serve'
import { createNotebook } from '@quire/notebook/create-notebook'
import { createWorkbench } from '@quire/notebook/workbench/create-workbench'
import { report } from '../child.ts'
import { TOKEN } from '../guarded-app.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const target = { url: process.env.NOTEBOOK_URL ?? '', token: process.env.NOTEBOOK_TOKEN }
const workbench = createWorkbench(
  {
    version: 'bench',
    targets: { document: target, sandbox: target },
    executionTimeoutSeconds: 120,
    maxExecutionTimeoutSeconds: 3600,
    maxOutputBytes: 65_536,
    images: true,
    readOnly: false,
    allowedPaths: [],
    recordCode: false,
  },
  { logger },
)
const { verify } = createKeyRing([{ hash: hashToken(TOKEN), subject: 'bench' }])
const { app } = createNotebook(
  { version: 'bench', guards: {}, authentication: { realm: 'bench', verify } },
  { workbench, logger, metrics: createMetrics({ service: 'notebook' }) },
)
const { port } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
report(port)
