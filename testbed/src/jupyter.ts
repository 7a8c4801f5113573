import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from './free-port.ts'
import { createOwnedFolder, killProcesses, removeOwnedFolder } from './owned-folder.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export type JupyterOptions = {
  /** Random unless given; an empty one switches token access off. */
  readonly token?: string
  /** None unless given. Without a token and a password the server is open. */
  readonly password?: string
  readonly baseUrl?: string
  /** Debian's server knows only `Authorization: token`; newer ones know `Bearer` as well. */
  readonly acceptBearer?: boolean
  readonly extraArgs?: readonly string[]
}

export type Jupyter = {
  /** With the prefix, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** The folder whose files it serves. */
  readonly root: string
  readonly token: string
  readonly password: string
  /** Same port and files; kernels and cookie sessions are gone. What is not given stays as it was. */
  restart(options?: JupyterOptions): Promise<void>
  /** A restart after which every login has to be made anew. */
  expireCookies(): Promise<void>
  stop(): Promise<void>
  log(): string
}

const EXECUTABLE = '/usr/bin/jupyter-server'
const ACCEPT_BEARER = `
import re
from jupyter_server.auth.login import LoginHandler
class BearerLoginHandler(LoginHandler):
    auth_header_pat = re.compile(r"(?:token|bearer)\\s+(.+)", re.IGNORECASE)
c.ServerApp.login_handler_class = BearerLoginHandler
`

/** A real notebook server on loopback with a folder of its own. */
export async function startJupyter(options: JupyterOptions = {}): Promise<Jupyter> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(
      'This test needs Jupyter Server and there is none on this machine: run "apt-get install --no-install-recommends jupyter-server python3-ipykernel" (or "npm test", which installs it).',
    )
  }
  const folder = await createOwnedFolder('jupyter')
  try {
    const root = join(folder, 'root')
    await mkdir(root)
    const port = await findFreePort()
    const settings = complete(options)
    return createJupyter(folder, root, port, settings, await launch(folder, root, port, settings))
  } catch (error) {
    await removeOwnedFolder(folder)
    throw error
  }
}

function createJupyter(
  folder: string,
  root: string,
  port: number,
  first: Required<JupyterOptions>,
  started: ServerProcess,
): Jupyter {
  let settings = first
  let server = started
  let stopping: Promise<void> | undefined
  let restarting: Promise<void> = Promise.resolve()

  async function relaunch(options: JupyterOptions): Promise<void> {
    if (stopping !== undefined) throw new Error('This notebook server was stopped and cannot be restarted.')
    settings = complete({ ...settings, ...options })
    await server.end()
    await killProcesses(folder)
    await rm(join(folder, 'runtime'), { recursive: true, force: true })
    server = await launch(folder, root, port, settings)
  }

  function restart(options: JupyterOptions = {}): Promise<void> {
    const result = restarting.then(() => relaunch(options))
    // Its caller has the reason; whoever is next in the queue begins from what there is.
    restarting = result.catch(() => undefined)
    return result
  }

  return Object.freeze({
    port,
    root,
    get url() {
      return addressOf(port, settings)
    },
    get token() {
      return settings.token
    },
    get password() {
      return settings.password
    },
    restart,
    expireCookies: () => restart(),
    stop() {
      stopping ??= restarting.then(() => removeOwnedFolder(folder))
      return stopping
    },
    log: () => server.log(),
  })
}

async function launch(
  folder: string,
  root: string,
  port: number,
  settings: Required<JupyterOptions>,
): Promise<ServerProcess> {
  const config = join(folder, 'config.py')
  await writeFile(config, settings.acceptBearer ? ACCEPT_BEARER : '')
  return startServerProcess({
    name: 'Jupyter Server',
    command: EXECUTABLE,
    args: [
      ...['--allow-root', '--no-browser', `--config=${config}`],
      ...['--ServerApp.ip=127.0.0.1', `--ServerApp.port=${port}`, '--ServerApp.port_retries=0'],
      ...[`--ServerApp.root_dir=${root}`, `--ServerApp.base_url=${settings.baseUrl}/`],
      ...[`--ServerApp.token=${settings.token}`, `--ServerApp.password=${hash(settings.password)}`],
      ...settings.extraArgs,
    ],
    env: {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C.UTF-8',
      HOME: folder,
      JUPYTER_CONFIG_DIR: join(folder, 'config'),
      JUPYTER_DATA_DIR: join(folder, 'data'),
      JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
      IPYTHONDIR: join(folder, 'ipython'),
      PYDEVD_DISABLE_FILE_VALIDATION: '1',
    },
    cwd: root,
    readyUrl: `${addressOf(port, settings)}/api`,
  })
}

function complete(options: JupyterOptions): Required<JupyterOptions> {
  const {
    token = randomBytes(16).toString('hex'),
    password = '',
    baseUrl = '',
    acceptBearer = false,
    extraArgs = [],
  } = options
  const prefix = baseUrl.replace(/^\/*|\/*$/g, '')
  return { token, password, baseUrl: prefix === '' ? '' : `/${prefix}`, acceptBearer, extraArgs }
}

function addressOf(port: number, { baseUrl }: Required<JupyterOptions>): string {
  return `http://127.0.0.1:${port}${baseUrl}`
}

/** Jupyter's own form with its fastest algorithm, newly salted each time. The salt is part of what signs cookies. */
function hash(password: string): string {
  if (password === '') return ''
  const salt = randomBytes(6).toString('hex')
  return `sha1:${salt}:${createHash('sha1').update(`${password}${salt}`).digest('hex')}`
}
