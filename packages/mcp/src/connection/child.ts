import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { armReaper } from '@quire/kit/reaper'
import { isGroupGone, signalGroup } from './process-group.ts'

/** How long a server may take for each step of its end. */
export interface StopTimes {
  /** After its stdin was closed. */
  readonly endMs: number
  /** After SIGTERM; then comes SIGKILL. */
  readonly terminateMs: number
}

export const DEFAULT_STOP_TIMES: StopTimes = Object.freeze({ endMs: 2000, terminateMs: 3000 })

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Child {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** The process itself is gone; what it started may still be ending. */
  readonly exited: Promise<ChildExit>
  /** Ends the whole process group: stdin, SIGTERM, SIGKILL. Idempotent; done when nothing is left. */
  stop(): Promise<void>
  kill(): void
}

export interface ChildCommand {
  /** An absolute path. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  readonly stopTimes: StopTimes
}

const SETPRIV = '/usr/bin/setpriv'
const POLL_MS = 20
const KILLED_MS = 1000

/**
 * Starts a program as the leader of its own process group, so that all of it can be ended.
 * To be called on the main thread: the kernel's death signal follows the thread that spawned.
 */
export async function startChild(command: ChildCommand): Promise<Child> {
  const wrapped = await canSetDeathSignal()
  const file = wrapped ? SETPRIV : command.file
  const args = wrapped ? ['--pdeathsig', 'KILL', '--', command.file, ...command.args] : command.args
  const child = spawn(file, args, {
    cwd: command.cwd,
    detached: true,
    env: command.env,
    shell: false,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  await once(child, 'spawn')
  const { stdin, stdout, stderr } = child
  // Nothing comes from there but, where the program ends or closes it with our bytes unread, an error: `ECONNRESET`.
  if (stdin instanceof Socket) stdin._read(1)
  const groupId = idOf(child)
  const disarmReaper = armReaper(groupId)
  let running = true
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => {
      running = false
      resolve({ code, signal })
    })
  })
  let stopping: Promise<void> | undefined

  async function endGroup(): Promise<void> {
    stdin.end()
    const { endMs, terminateMs } = command.stopTimes
    try {
      if (running && (await isGone(endMs))) return
      signalGroup(groupId, 'SIGTERM')
      if (await isGone(terminateMs)) return
      signalGroup(groupId, 'SIGKILL')
      await isGone(KILLED_MS)
    } finally {
      disarmReaper()
    }
  }

  async function isGone(withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs
    while (running || !(await isGroupGone(groupId))) {
      if (performance.now() >= deadline) return false
      await sleep(POLL_MS)
    }
    return true
  }

  function stop(): Promise<void> {
    stopping ??= endGroup()
    return stopping
  }

  function kill(): void {
    if (running) signalGroup(groupId, 'SIGKILL')
  }

  // What a server started has no purpose without it.
  void exited.then(stop)
  return Object.freeze({ pid: groupId, stdin, stdout, stderr, exited, stop, kill })
}

function idOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the program started without a process id')
  return pid
}

/** Then the kernel kills the program when we die: a server that ignores the end of its stdin would outlive us. */
async function canSetDeathSignal(): Promise<boolean> {
  try {
    await access(SETPRIV)
    return true
  } catch {
    return false
  }
}
