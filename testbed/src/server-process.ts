import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

const LOG_LIMIT = 64 * 1024
const START_DEADLINE_MS = 30_000
const STOP_DEADLINE_MS = 8_000
const POLL_MS = 40

export type ServerProcess = {
  /** The last of what it wrote, both streams. */
  log(): string
  /** Asks it to end, and kills it when it does not. */
  end(): Promise<void>
}

export type ServerCommand = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Answers 200 once the server is ready. */
  readonly readyUrl: string
  readonly deadlineMs?: number
}

/** Starts a server that ends with this process, however this process ends. Rejects with the log when it does not come up. */
export async function startServerProcess(options: ServerCommand): Promise<ServerProcess> {
  const { name, command, args, env, cwd, readyUrl, deadlineMs = START_DEADLINE_MS } = options
  const child = spawn('/usr/bin/setpriv', ['--pdeathsig', 'TERM', '--', command, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-LOG_LIMIT)
    })
  }
  let ended: string | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      ended = error.message
      resolve()
    })
    child.once('exit', (code, signal) => {
      ended = `it ended with ${signal ?? `code ${code}`}`
      resolve()
    })
  })

  async function end(): Promise<void> {
    if (ended !== undefined) return
    child.kill('SIGTERM')
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
    await exited
    clearTimeout(deadline)
  }

  const deadline = AbortSignal.timeout(deadlineMs)
  while (!(await isReady(readyUrl, deadline))) {
    if (ended === undefined && !deadline.aborted) {
      await Promise.race([delay(POLL_MS), exited])
      continue
    }
    const why = ended ?? `it was not ready after ${deadlineMs / 1000} s`
    if (ended === undefined) {
      child.kill('SIGKILL')
      await exited
    } else if (child.pid !== undefined && !child.stdout.closed) {
      // The last words may arrive after the end; a child of the server may hold the pipe open for longer than we care.
      await Promise.race([once(child, 'close'), delay(500)])
    }
    throw new Error(`${name} did not start: ${why}.\n${log}`)
  }
  return Object.freeze({ log: () => log, end })
}

async function isReady(url: string, deadline: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: deadline })
    await answer.body?.cancel()
    return answer.status === 200
  } catch {
    // Nobody listens yet, or the deadline has passed: the caller tells the two apart.
    return false
  }
}
