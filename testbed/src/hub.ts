import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'
import { createOwnedFolder, removeOwnedFolder } from './owned-folder.ts'
import { startServerProcess } from './server-process.ts'

export type Hub = {
  /** Without a trailing slash. */
  readonly url: string
  /** Everything it writes lies here, the users' homes too. */
  readonly folder: string
  /** The user's server runs afterwards unless told otherwise; its address is the same either way. */
  createUser(name: string, options?: { readonly start?: boolean }): Promise<{ url: string }>
  /** A new token of that user's, good for nothing but these scopes. */
  token(name: string, scopes: readonly string[]): Promise<string>
  startServer(name: string): Promise<void>
  stopServer(name: string): Promise<void>
  stop(): Promise<void>
  log(): string
}

type Ask = (method: string, path: string, body?: object) => Promise<unknown>

const EXECUTABLE = '/usr/bin/jupyterhub'
const SERVER_DEADLINE_MS = 30_000
const POLL_MS = 50

/** A real JupyterHub on loopback. Anybody may be created, and every user has a notebook server of his own. */
export async function startHub(): Promise<Hub> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(
      'This test needs JupyterHub and there is none on this machine: run "apt-get install --no-install-recommends jupyterhub" (or "npm test", which installs it).',
    )
  }
  const folder = await createOwnedFolder('hub')
  try {
    const ports = { proxy: await findFreePort(), hub: await findFreePort(), api: await findFreePort() }
    const seederToken = randomBytes(16).toString('hex')
    const config = join(folder, 'hub.py')
    await writeFile(config, configuration(folder, ports, seederToken))
    const url = `http://127.0.0.1:${ports.proxy}`
    const server = await startServerProcess({
      name: 'JupyterHub',
      command: EXECUTABLE,
      args: ['-f', config],
      env: {
        PATH: '/usr/bin:/bin',
        LC_ALL: 'C.UTF-8',
        HOME: folder,
        // Debian's proxy looks for its modules where only Debian's own Node would find them.
        NODE_PATH: '/usr/share/nodejs',
        CONFIGPROXY_AUTH_TOKEN: randomBytes(16).toString('hex'),
      },
      cwd: folder,
      readyUrl: `${url}/hub/api/`,
    })
    return createHub(folder, url, createAsk(url, seederToken), server.log)
  } catch (error) {
    await removeOwnedFolder(folder)
    throw error
  }
}

function createHub(folder: string, url: string, ask: Ask, log: () => string): Hub {
  const pathOf = (name: string) => `users/${encodeURIComponent(name)}`
  let stopping: Promise<void> | undefined

  async function waitForServer(name: string, wanted: 'ready' | 'gone'): Promise<void> {
    const deadline = AbortSignal.timeout(SERVER_DEADLINE_MS)
    while (serverState(await ask('GET', pathOf(name))) !== wanted) {
      if (deadline.aborted)
        throw new Error(`The server of ${name} was not ${wanted} after ${SERVER_DEADLINE_MS} ms.\n${log()}`)
      await delay(POLL_MS)
    }
  }

  async function startServer(name: string): Promise<void> {
    await ask('POST', `${pathOf(name)}/server`)
    await waitForServer(name, 'ready')
  }

  return Object.freeze({
    url,
    folder,
    async createUser(name: string, { start = true } = {}) {
      await ask('POST', pathOf(name))
      if (start) await startServer(name)
      return { url: `${url}/user/${encodeURIComponent(name)}` }
    },
    async token(name: string, scopes: readonly string[]) {
      const answer = await ask('POST', `${pathOf(name)}/tokens`, { scopes })
      return String(field(answer, 'token'))
    },
    startServer,
    async stopServer(name: string) {
      await ask('DELETE', `${pathOf(name)}/server`)
      await waitForServer(name, 'gone')
    },
    stop() {
      stopping ??= removeOwnedFolder(folder)
      return stopping
    },
    log,
  })
}

function createAsk(url: string, token: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${url}/hub/api/${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(SERVER_DEADLINE_MS),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`The hub answered ${answer.status} to ${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

function serverState(user: unknown): 'ready' | 'gone' | 'pending' {
  const server = field(field(user, 'servers'), '')
  if (server === undefined) return 'gone'
  return field(server, 'ready') === true ? 'ready' : 'pending'
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function configuration(
  folder: string,
  ports: { readonly proxy: number; readonly hub: number; readonly api: number },
  seederToken: string,
): string {
  // What JSON writes for a string is also one of Python's.
  const path = (name: string) => JSON.stringify(join(folder, name))
  return `
c.JupyterHub.bind_url = 'http://127.0.0.1:${ports.proxy}'
c.JupyterHub.hub_bind_url = 'http://127.0.0.1:${ports.hub}'
c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:${ports.api}'
c.ConfigurableHTTPProxy.pid_file = ${path('proxy.pid')}
c.JupyterHub.db_url = 'sqlite:///' + ${path('hub.sqlite')}
c.JupyterHub.cookie_secret_file = ${path('cookie_secret')}
c.JupyterHub.authenticator_class = 'dummy'
c.JupyterHub.spawner_class = 'simple'
c.SimpleLocalProcessSpawner.home_dir_template = ${path('home/{username}')}
c.Spawner.cmd = ['/usr/bin/jupyterhub-singleuser']
c.Spawner.args = ['--allow-root']
c.Spawner.environment = {'PYDEVD_DISABLE_FILE_VALIDATION': '1'}
c.JupyterHub.services = [{'name': 'seeder', 'api_token': '${seederToken}'}]
c.JupyterHub.load_roles = [
    {'name': 'seeder', 'services': ['seeder'], 'scopes': ['admin:users', 'admin:servers', 'tokens']}
]
`
}
