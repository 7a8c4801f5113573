import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createToken } from '@quire/kit/auth/token'
import { ConfigError } from '@quire/kit/config/config-error'
import { backoffDelay } from '@quire/mcp/connection/backoff'
import type { WorkbenchSettings } from '@quire/notebook/settings'
import { findJupyter } from './find-jupyter.ts'
import { type JupyterLaunch, type JupyterProcess, startJupyterProcess } from './jupyter-process.ts'
import type { NotebookServer, NotebookServerDeps } from './notebook-server.ts'
import { prepareFolder } from './notebooks-folder.ts'

export interface JupyterServerOptions {
  readonly settings: WorkbenchSettings
  readonly folder: string
}

/** One that has run for so long is started again at once, as after its first end. */
const STEADY_MS = 60_000

/** The Jupyter of this machine on loopback, behind a token that only we have. Started again whenever it ends. */
export async function startJupyterServer(
  { settings, folder: wanted }: JupyterServerOptions,
  { logger: parent, keepSecret, environment }: NotebookServerDeps,
): Promise<NotebookServer> {
  const logger = parent.child({ service: 'jupyter' })
  const command = await findJupyter(environment.PATH)
  const folder = prepareFolder(wanted)
  const token = createToken()
  keepSecret(token)
  const port = await findPort()
  const leaving = new AbortController()
  const launch: JupyterLaunch = {
    command,
    folder,
    port,
    token,
    environment,
    signal: leaving.signal,
    onOutput: (text) => logger.debug({ text: text.trimEnd() }, 'Jupyter says'),
  }
  let running: JupyterProcess | undefined = await startJupyterProcess(launch).catch((error: unknown) => {
    throw toConfigError(error, command.file)
  })
  const kept = keep(running)

  /** To the end of this process. */
  async function keep(first: JupyterProcess): Promise<void> {
    let attempt = 0
    let since = performance.now()
    for (let current: JupyterProcess | undefined = first; !leaving.signal.aborted; ) {
      const exit = await current?.gone
      running = undefined
      if (leaving.signal.aborted) return
      attempt = performance.now() - since > STEADY_MS ? 1 : attempt + 1
      const waitMs = Math.round(backoffDelay(attempt, Math.random))
      if (exit) logger.error({ ...exit, attempt, waitMs }, 'Jupyter has ended, and is started again')
      // Cut short when we leave.
      await delay(waitMs, undefined, { signal: leaving.signal }).catch(() => undefined)
      if (leaving.signal.aborted) return
      since = performance.now()
      current = await startAgain()
      running = current
    }
  }

  async function startAgain(): Promise<JupyterProcess | undefined> {
    try {
      const started = await startJupyterProcess(launch)
      logger.info({ port }, 'Jupyter is back')
      return started
    } catch (err) {
      logger.error({ err }, 'Jupyter could not be started again')
      return undefined
    }
  }

  async function stop(): Promise<void> {
    leaving.abort()
    await running?.stop()
    await kept
    // One may have been starting when we left.
    await running?.stop()
  }

  let closing: Promise<void> | undefined
  return Object.freeze({
    settings: { ...settings, notebookUrl: `http://127.0.0.1:${port}`, notebookToken: token },
    about: `Notebooks are in ${folder}, on Jupyter (${command.file}), whose kernels can do all that you can`,
    isHost: true,
    close() {
      closing ??= stop()
      return closing
    },
  })
}

function toConfigError(error: unknown, file: string): ConfigError {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `${reason}\nTry "${file}" by itself, or leave the flag out to use the embedded notebook server.`
  return new ConfigError([{ setting: '--with-jupyter', origin: file, message }])
}

/** Free now: Jupyter has to be told one. */
async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port could be found')
  return address.port
}
