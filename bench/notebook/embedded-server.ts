// The embedded notebook server on a free port: `embedded-server.ts FOLDER TOKEN`.
import { createEmbedded } from '@quire/embedded/create-embedded'
import { createPyodideKernels } from '@quire/embedded/kernel/pyodide-kernels'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'

const [folder = '', token = ''] = process.argv.slice(2)
const logger = createLazyLogger({ level: 'silent', pretty: false })
const kernels = createPyodideKernels({ logger })
const embedded = createEmbedded({ folder, token, version: 'bench', guards: {} }, { kernels, logger })
const listening = await serve({ fetch: embedded.app.fetch, host: '127.0.0.1', port: 0 })
process.stdout.write(`port ${listening.port}\n`)
process.once('SIGTERM', () => void shutDown(listening, [embedded], 1_000).then(() => process.exit(0)))
