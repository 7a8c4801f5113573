import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChildExit, startChild } from '@quire/mcp/connection/child'
import { type Environment, toChildEnvironment } from '@quire/mcp/connection/child-environment'
import type { JupyterCommand } from './find-jupyter.ts'
import { armKernelReaper, MARK } from './kernel-reaper.ts'

export interface JupyterLaunch {
  readonly command: JupyterCommand
  readonly folder: string
  readonly port: number
  readonly token: string
  readonly environment: Environment
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal
  /** Both of its streams, in pieces as they come. */
  readonly onOutput: (text: string) => void
}

export interface JupyterProcess {
  /** With all that it started. */
  readonly gone: Promise<ChildExit>
  /** Done when nothing is left. Idempotent. */
  stop(): Promise<void>
}

const READY_MS = 60_000
const LOOK_EVERY_MS = 100
const LOOK_MS = 5_000
/** It does not read its stdin; at SIGTERM it ends its kernels first. */
const STOP_TIMES = Object.freeze({ endMs: 0, terminateMs: 8_000 })
const KEPT_CHARS = 8_000
const LAST_WORDS = 1_000
const USEFUL = /^(?:CONDA_|IPYTHON|JUPYTER_|LC_|PYTHON|XDG_)|^(?:TMPDIR|TZ|VIRTUAL_ENV|LD_LIBRARY_PATH)$/
const SECRET = /TOKEN|PASSWORD|SECRET|KEY/

/** Starts a Jupyter server and waits until it lets us in. Throws with its last words where it does not. */
export async function startJupyterProcess(launch: JupyterLaunch): Promise<JupyterProcess> {
  const { command, folder, token, environment, onOutput } = launch
  const mark = randomUUID()
  // For its owner alone, and only until it has been read: it holds the token.
  const privateFolder = await mkdtemp(join(tmpdir(), 'quire-notebooks-'))
  const reapKernels = armKernelReaper(mark)
  let said = ''
  let child: Awaited<ReturnType<typeof startChild>> | undefined
  try {
    const configFile = join(privateFolder, 'config.json')
    await writeFile(configFile, JSON.stringify(toConfig(launch)), { mode: 0o600 })
    child = await startChild({
      file: command.file,
      args: [...command.args, `--config=${configFile}`],
      env: toChildEnvironment(environment, { ...usefulIn(environment), [MARK]: mark }),
      cwd: folder,
      stopTimes: STOP_TIMES,
    })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-KEPT_CHARS)
        onOutput(text)
      })
    await untilReady(launch, child.exited)
  } catch (error) {
    await child?.stop()
    await reapKernels()
    const reason = error instanceof Error ? error.message : String(error)
    // It tells its token to whoever reads along.
    const lastWords = said.replaceAll(token, '…').trim().slice(-LAST_WORDS)
    throw new Error(`${command.file} ${reason}${lastWords && `; it said: ${lastWords}`}`, { cause: error })
  } finally {
    await rm(privateFolder, { recursive: true, force: true })
  }
  const { exited, stop } = child
  async function endAll(): Promise<void> {
    await stop()
    await reapKernels()
  }
  let ending: Promise<void> | undefined
  const endOnce = () => {
    ending ??= endAll()
    return ending
  }
  const gone = exited.then(async (exit) => {
    await endOnce()
    return exit
  })
  return Object.freeze({ gone, stop: endOnce })
}

/** Of this file alone: what the person's own configuration says of addresses and passwords is for a server that is theirs to start. */
function toConfig({ port, folder, token }: JupyterLaunch): object {
  return {
    ServerApp: {
      ip: '127.0.0.1',
      port,
      port_retries: 0,
      root_dir: folder,
      token,
      password: '',
      base_url: '/',
      open_browser: false,
      // Whoever runs us as root has decided that.
      allow_root: process.getuid?.() === 0,
    },
    // Since 2.0 the token stands here.
    IdentityProvider: { token },
  }
}

async function untilReady({ port, token, signal }: JupyterLaunch, exited: Promise<ChildExit>): Promise<void> {
  const leaving = new AbortController()
  const ended = exited.then(({ code, signal }): never => {
    throw new Error(`ended at its start (${signal ?? `code ${code}`})`)
  })
  try {
    await Promise.race([ended, poll(port, token, AbortSignal.any([signal, leaving.signal]))])
  } finally {
    leaving.abort()
  }
}

async function poll(port: number, token: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline && !signal.aborted) {
    if (await isReady(port, token)) return
    await delay(LOOK_EVERY_MS)
  }
  throw new Error(`was not ready within ${READY_MS / 1_000} s`)
}

async function isReady(port: number, token: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/api/status`, {
      headers: { authorization: `token ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(LOOK_MS),
    })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    // It does not listen yet.
    return false
  }
}

/** What says where Python and its packages are; our own secrets are none of its business, nor of its kernels'. */
function usefulIn(environment: Environment): Record<string, string> {
  const useful = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && USEFUL.test(name) && !SECRET.test(name) ? [[name, value]] : [],
  )
  return Object.fromEntries(useful)
}
