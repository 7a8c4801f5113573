import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { armReaper } from '@quire/kit/reaper'
import { createPace } from './pace.ts'
import { createFrameReader, INTERRUPTS_FD, MESSAGES_FD, REQUESTS_FD } from './program/frame.mts'

const STDERR_FD = 2
const MAX_LAST_WORDS = 2000
const OUTPUT_BYTES_PER_SECOND = 32 * 1024 * 1024

export interface KernelProcessOptions {
  readonly nodePath: string
  readonly args: readonly string[]
  /** One frame, as it came: the process runs a stranger's code and may say anything. */
  readonly onFrame: (json: string) => void
  /** Called once, however it ended. */
  readonly onExit: (reason: string) => void
}

export interface KernelProcess {
  readonly pid: number
  ask(frame: Buffer): void
  interrupt(): void
  kill(): void
  /** Lets it finish within the time, then kills it. Done when it is gone. */
  stop(withinMs: number): Promise<void>
}

/** Starts a process in a group of its own with an empty environment: what a kernel may do is said by its arguments alone. */
export async function startKernelProcess(options: KernelProcessOptions): Promise<KernelProcess> {
  const { nodePath, args, onFrame, onExit } = options
  const child = spawn(nodePath, args, {
    cwd: '/',
    detached: true,
    env: {},
    shell: false,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  await once(child, 'spawn')
  const groupId = idOf(child)
  const disarmReaper = armReaper(groupId)
  const pipes: readonly unknown[] = child.stdio
  const requests = toSocket(pipes[REQUESTS_FD])
  const messages = toSocket(pipes[MESSAGES_FD])
  const interrupts = toSocket(pipes[INTERRUPTS_FD])
  const errors = toSocket(pipes[STDERR_FD])
  const pace = createPace(messages, OUTPUT_BYTES_PER_SECOND)
  const reader = createFrameReader(onFrame)
  let violation: string | undefined
  let lastWords = ''
  let running = true

  // Whoever cannot be written to has ended, and its exit says so.
  for (const socket of [requests, messages, interrupts, errors]) socket.on('error', () => undefined)
  errors.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString('latin1')).slice(-MAX_LAST_WORDS)
  })
  messages.on('data', (chunk: Buffer) => {
    pace.count(chunk.length)
    try {
      reader.push(chunk)
    } catch (error) {
      violation = error instanceof Error ? error.message : String(error)
      messages.destroy()
      kill()
    }
  })
  const exited = new Promise<void>((resolve) => {
    // After the streams have ended, so that its last messages come before its end.
    child.once('close', (code, signal) => {
      running = false
      pace.stop()
      disarmReaper()
      resolve()
      onExit(violation ?? describe(code, signal, lastWords))
    })
  })

  function kill(): void {
    if (!running) return
    try {
      process.kill(-groupId, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
    messages.resume()
  }

  async function stop(withinMs: number): Promise<void> {
    requests.end()
    const patience = new AbortController()
    await Promise.race([exited, sleep(withinMs, undefined, { signal: patience.signal })])
    patience.abort()
    kill()
    await exited
  }

  return Object.freeze({
    pid: groupId,
    ask: (frame: Buffer) => void requests.write(frame),
    interrupt: () => void interrupts.write('!'),
    kill,
    stop,
  })
}

function idOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the kernel started without a process id')
  return pid
}

function toSocket(stream: unknown): Socket {
  if (!(stream instanceof Socket)) throw new Error('the kernel started without its pipes')
  return stream
}

function describe(code: number | null, signal: NodeJS.Signals | null, lastWords: string): string {
  const how = signal === null ? `with code ${code}` : `by ${signal}`
  const line = lastWords.split('\n').find((text) => /error|bad option/i.test(text))
  return line === undefined ? how : `${how} (${line.trim().slice(0, 300)})`
}
