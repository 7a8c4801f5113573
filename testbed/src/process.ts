import { type ChildProcess, spawn } from 'node:child_process'

export interface RunningProcess {
  readonly child: ChildProcess
  /** Everything written so far. */
  readonly output: { stdout: string; stderr: string }
  /** Resolves with the match once the output has it; rejects when the process ends before, or at the deadline. */
  waitFor(pattern: RegExp, stream?: 'stdout' | 'stderr', deadlineMs?: number): Promise<RegExpExecArray>
  /** The exit code, or the signal's name. */
  readonly exited: Promise<number | string>
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}

/** Starts a program and listens to it. The environment is only what is given, and PATH. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): RunningProcess {
  const env = { PATH: process.env.PATH, ...options.env }
  const child = spawn(command, args, { env, cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
      notify()
    })
  }
  const exited = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })

  return {
    child,
    output,
    exited,
    waitFor(pattern, stream = 'stdout', deadlineMs = 45_000) {
      return new Promise((resolve, reject) => {
        const fail = (why: string) =>
          reject(
            new Error(`${why} before ${stream} had ${pattern}; it had:\n${output.stdout}\n${output.stderr}`),
          )
        const deadline = setTimeout(() => fail(`${deadlineMs} ms passed`), deadlineMs)
        const look = () => {
          const match = pattern.exec(output[stream])
          if (!match) return
          clearTimeout(deadline)
          listeners.delete(look)
          resolve(match)
        }
        listeners.add(look)
        void exited.then((code) => fail(`the process ended with ${code}`))
        look()
      })
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}
