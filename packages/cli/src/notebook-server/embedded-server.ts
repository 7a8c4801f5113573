import { createEmbedded, type Embedded } from '@quire/embedded/create-embedded'
import { createPyodideKernels } from '@quire/embedded/kernel/pyodide-kernels'
import { createToken } from '@quire/kit/auth/token'
import { ConfigError } from '@quire/kit/config/config-error'
import type { Logger } from '@quire/kit/log'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'
import type { WorkbenchSettings } from '@quire/notebook/settings'
import type { NotebookServer, NotebookServerDeps } from './notebook-server.ts'
import { prepareFolder } from './notebooks-folder.ts'

export interface EmbeddedServerOptions {
  readonly settings: WorkbenchSettings
  readonly folder: string
  readonly version: string
}

/** Our own clients are gone when it is closed. */
const GRACE_MS = 1_000

/** On loopback, behind a token that only we have. */
export async function startEmbeddedServer(
  { settings, folder: wanted, version }: EmbeddedServerOptions,
  { logger: parent, keepSecret }: Pick<NotebookServerDeps, 'logger' | 'keepSecret'>,
): Promise<NotebookServer> {
  const logger = parent.child({ service: 'embedded' })
  const folder = prepareFolder(wanted)
  const token = createToken()
  keepSecret(token)
  const embedded = createOn(folder, token, version, logger)
  const listening = await serve({ fetch: embedded.app.fetch, host: '127.0.0.1', port: 0 }).catch(
    async (error: unknown) => {
      await embedded.close()
      throw error
    },
  )
  let closing: Promise<void> | undefined
  return Object.freeze({
    settings: { ...settings, notebookUrl: listening.url, notebookToken: token },
    about: `Notebooks are in ${folder}, on the embedded server (Python in WebAssembly)`,
    isHost: false,
    close() {
      closing ??= shutDown(listening, [embedded], GRACE_MS)
      return closing
    },
  })
}

function createOn(folder: string, token: string, version: string, logger: Logger): Embedded {
  try {
    return createEmbedded(
      { folder, token, version, guards: {} },
      { kernels: createPyodideKernels({ logger }), logger },
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ setting: '--notebooks', origin: folder, message }])
  }
}
