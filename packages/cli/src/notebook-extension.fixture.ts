import { readdirSync, readFileSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Jupyter, type JupyterOptions, startJupyter } from '@quire/testbed/jupyter'
import { startProcess } from '@quire/testbed/process'
import { vi } from 'vitest'
import { LAUNCHER } from './notebook.fixture.ts'

export const CONFIG = 'jupyter_server_config.py'

export interface ExtendedJupyter extends Jupyter {
  /** The process of the notebook server. */
  pid(): number
  /** The process of the tools; waits until there is one other than `former`. */
  childPid(former?: number): Promise<number>
  /** It listens before the tools do. */
  whenHealthy(headers: Record<string, string>): Promise<unknown>
  /** Adds to its configuration, which it has read when this returns. */
  configure(python: string): Promise<void>
}

/** `quire notebook install-extension`. */
export async function installExtension(...args: readonly string[]): Promise<{ code: unknown; text: string }> {
  const one = startProcess(process.execPath, [LAUNCHER, 'notebook', 'install-extension', ...args])
  const code = await one.exited
  return { code, text: one.output.stdout + one.output.stderr }
}

/** Debian's notebook server with the extension in it, and more in its configuration. */
export async function startExtended(
  options: JupyterOptions,
  configure: (folder: string) => Promise<void> = async () => undefined,
): Promise<ExtendedJupyter> {
  const jupyter = await startJupyter(options)
  const folder = join(dirname(jupyter.root), 'config')
  try {
    await configure(folder)
    const { code, text } = await installExtension('--config-dir', folder)
    if (code !== 0) throw new Error(text)
    // The server of the test bed is told its configuration file, and of this folder reads only what all programs of Jupyter have in common.
    await writeFile(join(folder, 'jupyter_config.py'), 'load_subconfig("jupyter_server_config.py")')
    await jupyter.restart()
  } catch (error) {
    await jupyter.stop()
    throw error
  }
  const pid = () => findProcess(({ line }) => line.includes(`--ServerApp.port=${jupyter.port}`)) ?? 0
  const findChild = () => findChildOf(pid())
  const whenHealthy = (headers: Record<string, string>) =>
    vi.waitUntil(async () => (await fetch(`${jupyter.url}/mcp/healthz`, { headers })).ok, { timeout: 30_000 })

  /** In its own time, so that it leaves nothing: the test bed kills both processes at once. */
  async function stop(): Promise<void> {
    const [server, child] = [pid(), findChild()]
    if (server !== 0) process.kill(server, 'SIGTERM')
    await vi.waitUntil(() => commandLine(server) === '' && (!child || commandLine(child) === ''), {
      timeout: 30_000,
    })
    await jupyter.stop()
  }

  return {
    get url() {
      return jupyter.url
    },
    get token() {
      return jupyter.token
    },
    port: jupyter.port,
    root: jupyter.root,
    password: jupyter.password,
    restart: jupyter.restart,
    expireCookies: jupyter.expireCookies,
    stop,
    log: jupyter.log,
    pid,
    whenHealthy,
    async configure(python) {
      await appendFile(join(folder, CONFIG), python)
      await jupyter.restart()
    },
    childPid: (former) =>
      vi.waitUntil(() => [findChild()].find((one) => one !== undefined && one !== former), {
        timeout: 30_000,
      }),
  }
}

function findChildOf(parent: number): number | undefined {
  return findProcess((one) => one.parent === parent && one.line.includes('quire.mjs notebook start'))
}

/** Arguments, separated by spaces; empty when there is no such process (any more). */
export function commandLine(pid: number): string {
  return readProcess(pid)?.line ?? ''
}

/** What a process was told by its environment. */
export function environmentOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** The cookies of somebody who entered by the password, and the header that goes with them. */
export async function logIn(url: string, password: string): Promise<{ cookie: string; xsrf: string }> {
  const page = await fetch(`${url}/login`, { redirect: 'manual' })
  const [first = ''] = page.headers.getSetCookie().map((one) => one.split(';')[0])
  const xsrf = first.split('=')[1] ?? ''
  const body = new URLSearchParams({ password, _xsrf: xsrf })
  const headers = { cookie: first }
  const entered = await fetch(`${url}/login`, { method: 'POST', headers, body, redirect: 'manual' })
  const cookies = entered.headers.getSetCookie().map((one) => one.split(';')[0])
  return { cookie: [first, ...cookies].join('; '), xsrf }
}

function findProcess(isIt: (one: { parent: number; line: string }) => boolean): number | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).find((pid) => {
    const one = readProcess(pid)
    return one !== undefined && isIt(one)
  })
}

function readProcess(pid: number): { parent: number; line: string } | undefined {
  try {
    const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { parent: Number(parent), line }
  } catch {
    // It has ended since it was listed.
    return undefined
  }
}
