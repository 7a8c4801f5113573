import { ConfigError } from '@quire/kit/config/config-error'
import type { Logger } from '@quire/kit/log'
import type { Environment } from '@quire/mcp/connection/child-environment'
import type { WorkbenchSettings } from '@quire/notebook/settings'

export interface NotebookServer {
  /** For the workbench: with the address and the token of the server, as if a person had given them. */
  readonly settings: WorkbenchSettings
  /** What it is and where the notebooks are, in one sentence. */
  readonly about: string
  /** Its kernels can do all that their user can, rather than run behind a wall. */
  readonly isHost: boolean
  /** To be called when nobody uses it any more. Idempotent. */
  close(): Promise<void>
}

export interface NotebookServerOptions {
  /** What was said of notebook servers in the environment. */
  readonly settings: WorkbenchSettings
  readonly withJupyter: boolean
  /** Absent: `usualFolder`. */
  readonly folder?: string | undefined
  readonly usualFolder: string
  readonly version: string
}

export interface NotebookServerDeps {
  readonly logger: Logger
  readonly keepSecret: (secret: string) => void
  /** Where an installed Jupyter is looked for, and what it inherits. */
  readonly environment: Environment
}

/** The server that the environment names, else the Jupyter of this machine where it is wanted, else the one that we bring. */
export async function openNotebookServer(
  { settings, withJupyter, folder, usualFolder, version }: NotebookServerOptions,
  deps: NotebookServerDeps,
): Promise<NotebookServer> {
  const given = addressOf(settings)
  if (given !== undefined && withJupyter)
    throw new ConfigError([
      {
        setting: '--with-jupyter',
        origin: `the environment names the notebook server ${given}`,
        message: 'leave the flag out to use that server, or unset NOTEBOOK_URL to start another',
      },
    ])
  if (given !== undefined) {
    if (folder !== undefined)
      deps.logger.warn(
        { folder, server: given },
        '--notebooks is not used: the environment names a notebook server',
      )
    return Object.freeze({
      settings,
      about: `Notebooks are on the server ${given}`,
      isHost: true,
      close: async () => undefined,
    })
  }
  // Neither is loaded where it is not used.
  if (withJupyter) {
    const { startJupyterServer } = await import('./jupyter-server.ts')
    return startJupyterServer({ settings, folder: folder ?? usualFolder }, deps)
  }
  const { startEmbeddedServer } = await import('./embedded-server.ts')
  return startEmbeddedServer({ settings, folder: folder ?? usualFolder, version }, deps)
}

const DEFAULT_SERVER = 'http://localhost:8888'

/** Credentials alone are for the usual address. */
function addressOf(settings: WorkbenchSettings): string | undefined {
  const { notebookUrl, documentUrl, codeSandboxUrl, notebookToken, notebookPassword } = settings
  const isUsual = (notebookToken ?? notebookPassword) !== undefined
  return notebookUrl ?? documentUrl ?? codeSandboxUrl ?? (isUsual ? DEFAULT_SERVER : undefined)
}
