import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Refusal } from '@quire/kit/errors'
import type { TeamEvent, Teams } from '../teams.ts'

type Method = Exclude<keyof Teams, 'events'>

export type Request =
  | { readonly id: number; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly id: number; readonly method: 'watch'; readonly teamId: string; readonly after: number }

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly reason: Refusal; readonly message: string }
  | { readonly kind: 'event'; readonly id: number; readonly event: TeamEvent }

/** The process ended before it had answered: nobody knows whether it was done. */
export class ProcessGone extends Error {
  override readonly name = 'ProcessGone'
}

export class Refused extends Error {
  override readonly name = 'Refused'
  readonly reason: Refusal

  constructor(reason: Refusal, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface ServiceProcess {
  readonly pid: number
  call<Name extends Method>(method: Name, ...args: Parameters<Teams[Name]>): ReturnType<Teams[Name]>
  /** Resolves when the process is gone. */
  watch(teamId: string, after: number, onEvent: (event: TeamEvent) => void): Promise<void>
  isAlive(): boolean
  /** The exit code, or the signal's name. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string>
  /** The last of what it logged. */
  log(): string
}

interface Waiting {
  readonly onAnswer: (answer: Answer) => void
  readonly onGone: () => void
}

const PROGRAM = new URL('./service.fixture.ts', import.meta.url).pathname
const START_MS = 30_000
const LONGEST_LOG = 8_192

export async function startService(url: string, folder: string): Promise<ServiceProcess> {
  const child = fork(PROGRAM, [url, folder], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const waiting = new Map<number, Waiting>()
  let requests = 0
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LONGEST_LOG)
  })
  const exited = onceExited(child)
  const ready = Promise.withResolvers<void>()
  child.on('message', (answer: Answer) => {
    if (answer.kind === 'ready') ready.resolve()
    else waiting.get(answer.id)?.onAnswer(answer)
  })
  void exited.then((code) => {
    ready.reject(new Error(`The process ended with ${code} before it was ready:\n${log}`))
    for (const { onGone } of waiting.values()) onGone()
    waiting.clear()
  })

  function ask(request: (id: number) => Request, handlers: Waiting): number {
    const id = ++requests
    if (!isAlive(child)) handlers.onGone()
    else {
      waiting.set(id, handlers)
      // Of a process that is gone its end tells.
      child.send(request(id), () => undefined)
    }
    return id
  }

  const call: ServiceProcess['call'] = (method, ...args) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ask((id) => ({ id, method, args }), {
      onAnswer(answer) {
        waiting.delete(id)
        if (answer.kind === 'result') resolve(answer.result)
        else if (answer.kind === 'refused') reject(new Refused(answer.reason, answer.message))
      },
      onGone: () => reject(new ProcessGone(`The process ended before it had answered ${method}.`)),
    })
    // What the method of that name resolves with.
    return promise as ReturnType<typeof call<typeof method>>
  }

  const timer = setTimeout(() => ready.reject(new Error(`It was not ready in time:\n${log}`)), START_MS)
  await ready.promise
    .catch((error: unknown) => {
      child.kill('SIGKILL')
      throw error
    })
    .finally(() => clearTimeout(timer))

  return Object.freeze({
    pid: child.pid ?? 0,
    call,
    watch(teamId: string, after: number, onEvent: (event: TeamEvent) => void) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      ask((id) => ({ id, method: 'watch', teamId, after }), {
        onAnswer(answer) {
          if (answer.kind === 'event') onEvent(answer.event)
          if (answer.kind === 'refused') reject(new Refused(answer.reason, answer.message))
        },
        onGone: resolve,
      })
      return promise
    },
    isAlive: () => isAlive(child),
    end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      return exited
    },
    log: () => log,
  } satisfies ServiceProcess)
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && child.connected
}

/** After all that it had still said was read. */
async function onceExited(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'close')
  return code ?? signal
}
