import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbedded } from '@quire/embedded/create-embedded'
import { createPyodideKernels } from '@quire/embedded/kernel/pyodide-kernels'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'
import { type RunningProcess, startProcess } from '@quire/testbed/process'

export interface EmbeddedServer {
  readonly url: string
  readonly token: string
  /** The folder of its notebooks. */
  readonly root: string
  /** Dies without a word, and is back on the same port and folder. */
  dieAndReturn(): Promise<void>
  stop(): Promise<void>
}

interface ProgramOptions {
  readonly folder: string
  readonly token: string
  readonly port: number
  /** False: it knows nothing of collaboration, as a plain Jupyter. */
  readonly rooms: boolean
}

/** The embedded server in a process of its own, with real kernels. */
export async function startEmbeddedServer({ rooms = true } = {}): Promise<EmbeddedServer> {
  const root = await mkdtemp(join(tmpdir(), 'quire-embedded-'))
  const token = 'a-token-of-the-embedded-server'
  let { running, port } = await launch({ folder: root, token, port: 0, rooms })
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    root,
    async dieAndReturn() {
      await running.stop('SIGKILL')
      ;({ running, port } = await launch({ folder: root, token, port, rooms }))
    },
    async stop() {
      await running.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function launch(options: ProgramOptions): Promise<{ running: RunningProcess; port: number }> {
  const running = startProcess(process.execPath, [import.meta.filename, JSON.stringify(options)])
  const [, port = ''] = await running.waitFor(/port (\d+)\n/)
  return { running, port: Number(port) }
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))

async function run({ folder, token, port, rooms }: ProgramOptions): Promise<void> {
  const logger = createLazyLogger({ level: 'silent', pretty: false })
  const kernels = createPyodideKernels({ logger })
  const embedded = createEmbedded({ folder, token, version: '0.0.0-test', guards: {} }, { kernels, logger })
  const isHidden = ({ url }: Request) => !rooms && new URL(url).pathname.startsWith('/api/collaboration')
  const listening = await serve({
    fetch: (request, env) =>
      isHidden(request)
        ? new Response('{"message":"Not Found"}', { status: 404 })
        : embedded.app.fetch(request, env),
    host: '127.0.0.1',
    port,
  })
  process.stdout.write(`port ${listening.port}\n`)
  process.once('SIGTERM', () => void shutDown(listening, [embedded], 1_000).then(() => process.exit(0)))
}
