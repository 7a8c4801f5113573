import { DEFAULT_STOP_TIMES, startChild } from '@quire/mcp/connection/child'
import { toChildEnvironment } from '@quire/mcp/connection/child-environment'
import { createLineReader } from '@quire/mcp/connection/line-reader'
import { resolveCommand } from '@quire/mcp/connection/resolve-command'
import type { RemoteProgram } from '../server-definition.ts'
import type { LinkEnd, LinkOptions } from './link.ts'

/** A program that serves a URL. */
export interface RunningProgram {
  readonly pid: number
  readonly ended: Promise<LinkEnd>
  /** Its last lines. */
  lines(): readonly string[]
  stop(): Promise<void>
}

const MAX_LINE_BYTES = 8 * 1024
const LAST_LINES = 50

/** Whatever it writes goes to `onStderr`; its stdin stays silent, and ends when it shall end. */
export async function startRemoteProgram(
  program: RemoteProgram,
  { environment, stopTimes = DEFAULT_STOP_TIMES, onStderr }: LinkOptions,
): Promise<RunningProgram> {
  const [command, ...args] = program.command
  const env = toChildEnvironment(environment, program.env)
  const cwd = program.workingDir
  const file = await resolveCommand(command, { path: env.PATH, cwd })
  const child = await startChild({ file, args, env, cwd, stopTimes })
  const lines: string[] = []

  function note(line: string): void {
    lines.push(line)
    if (lines.length > LAST_LINES) lines.shift()
    onStderr(line)
  }

  for (const stream of [child.stdout, child.stderr]) {
    const reader = createLineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: note,
      onOverflow: (head) => note(`${head}…`),
    })
    stream.on('data', reader.push)
    stream.on('end', reader.end)
    // A broken pipe is the end of the program, which is seen as such.
    stream.on('error', () => undefined)
  }
  child.stdin.on('error', () => undefined)
  const ended = child.exited.then(({ code, signal }): LinkEnd => {
    const reason = signal
      ? `ended with its program, by ${signal}`
      : `ended with its program, exit code ${code}`
    return { reason, exitCode: code, signal, stderr: [...lines], isForgotten: false, isClosed: false }
  })
  return Object.freeze({ pid: child.pid, ended, lines: () => [...lines], stop: child.stop })
}
