import { flushCompileCache } from 'node:module'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { serve } from '@quire/kit/serve/serve'
import { createEmbedded } from '../../packages/embedded/src/create-embedded.ts'
import { createPyodideKernels } from '../../packages/embedded/src/kernel/pyodide-kernels.ts'
import { report } from '../child.ts'

const logger = createLazyLogger({ level: 'silent', pretty: false })
const embedded = createEmbedded(
  { folder: process.env.FOLDER ?? '', token: process.env.TOKEN ?? '', version: '0', guards: {} },
  { kernels: createPyodideKernels({ logger }), logger },
)
const { port } = await serve({ fetch: embedded.app.fetch, host: '127.0.0.1', port: 0 })
report(port)
// The benchmarks end it in a way in which it would not get to that.
flushCompileCache()
