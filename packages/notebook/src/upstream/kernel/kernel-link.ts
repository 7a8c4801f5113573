import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../../document/json.ts'
import { ToolError } from '../../tool-error.ts'
import { type KernelSocket, type KernelSocketOptions, openKernelSocket } from './kernel-socket.ts'

export interface KernelLinkOptions extends Omit<KernelSocketOptions, 'sessionId' | 'timeoutMs' | 'signal'> {
  readonly openTimeoutMs: number
  readonly reconnectMs: number
  /** `said` is the notebook server's word for the state of the kernel. */
  readonly onOpen: (socket: KernelSocket, said: unknown) => void
}

/** Keeps one socket to one kernel. Callers at the same time share what is being opened. */
export interface KernelLink {
  /** Opens a socket unless there is one. One attempt. */
  open(): Promise<KernelSocket>
  /** After a break: attempts until one succeeds, the reason is final, or the time is up. Throws what the last one threw. */
  reopen(): Promise<KernelSocket>
  /** The kernel's state in the notebook server's words; throws `not_found` when it is gone. */
  ask(): Promise<unknown>
  /** Lets the socket go, without an `onClose`. */
  drop(): Promise<void>
  close(): Promise<void>
}

const ASK_MS = 10_000
/** A question without an answer may have gone out on a connection that died with the socket; the next one does not. */
const ASK_AGAIN_MS = 5_000
const REOPEN_MS = 10_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 3_000

export function createKernelLink(options: KernelLinkOptions): KernelLink {
  const { server, kernelId, openTimeoutMs, reconnectMs, logger, now } = options
  const closing = new AbortController()
  const { signal } = closing
  let current: KernelSocket | undefined
  let opening: Promise<KernelSocket> | undefined
  /** That of the broken socket: the server keeps what it could not deliver for a client that comes back under the same one. */
  let sessionId = randomUUID()

  return Object.freeze({
    async open() {
      if (current) return current
      opening ??= share(openFresh())
      return opening
    },
    async reopen() {
      opening ??= share(retry())
      return opening
    },
    ask: () => ask(ASK_MS),
    drop,
    async close() {
      closing.abort(new ToolError('unreachable', 'The connection to the kernel was closed here.'))
      await opening?.catch((error) => logger.debug({ err: error }, 'an opening was given up'))
      await drop()
    },
  })

  function share(promise: Promise<KernelSocket>): Promise<KernelSocket> {
    return promise.finally(() => {
      opening = undefined
    })
  }

  /** Nobody waits for what was said while nobody listened. */
  function openFresh(): Promise<KernelSocket> {
    sessionId = randomUUID()
    return attempt(openTimeoutMs, ASK_MS)
  }

  async function retry(): Promise<KernelSocket> {
    const deadline = now() + reconnectMs
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, LONGEST_DELAY_MS)) {
      try {
        return await attempt(Math.ceil(Math.min(openTimeoutMs, REOPEN_MS, deadline - now())), ASK_AGAIN_MS)
      } catch (error) {
        signal.throwIfAborted()
        if (isFinal(error) || now() + delay >= deadline) throw error
        logger.debug({ err: error, kernel: kernelId }, 'a kernel connection could not be made again yet')
      }
      await sleep(delay, undefined, { signal })
    }
  }

  async function attempt(timeoutMs: number, askMs: number): Promise<KernelSocket> {
    signal.throwIfAborted()
    const said = await ask(Math.min(askMs, timeoutMs))
    try {
      const socket = await openKernelSocket({ ...options, sessionId, timeoutMs, signal, onClose })
      current = socket
      options.onOpen(socket, said)
      return socket
    } catch (error) {
      // A server that refused a handshake, or never finished it, may take the same session for a stale one and wait for it.
      sessionId = randomUUID()
      throw error
    }
  }

  async function ask(timeoutMs: number): Promise<unknown> {
    const model = await server.request('GET', ['api', 'kernels', kernelId], { timeoutMs, signal })
    return isRecord(model) ? model.execution_state : undefined
  }

  function onClose(socket: KernelSocket, isSilent: boolean): void {
    if (socket !== current) return
    current = undefined
    // The server has not noticed, and would wait for the old one before it let a new one in under the same session.
    if (isSilent) sessionId = randomUUID()
    options.onClose(socket, isSilent)
  }

  async function drop(): Promise<void> {
    const socket = current
    current = undefined
    await socket?.close()
  }
}

function isFinal(error: unknown): boolean {
  return !(error instanceof ToolError) || !['unreachable', 'failing'].includes(error.code)
}
