import type { Logger } from '@quire/kit/log'
import { ToolError } from '../../tool-error.ts'
import type { JupyterServer } from '../server.ts'
import { createKernelActivity } from './kernel-activity.ts'
import type { ExecuteOptions, KernelConnection, KernelState } from './kernel-connection.ts'
import { createKernelLink } from './kernel-link.ts'
import type { KernelSocket } from './kernel-socket.ts'
import { createKernelWatch } from './kernel-watch.ts'
import { closedHere, died, fromError, gone, isNotFound, type Loss, restarted } from './loss.ts'
import { createMessage, type KernelMessage, parentOf } from './message.ts'
import { createMessageNumbers } from './message-numbers.ts'
import { createProbes } from './probes.ts'
import { createRequests } from './requests.ts'
import { createTurns } from './turns.ts'
import { withSignal } from './with-signal.ts'

export interface KernelConnectionOptions {
  readonly server: JupyterServer
  readonly kernelId: string
  readonly logger: Logger
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
  readonly openTimeoutMs?: number
  /** How long a connection that broke under running code is tried again. */
  readonly reconnectMs?: number
  readonly keepAliveMs?: number
  /** Silence under running code after which the notebook server is asked whether the kernel still runs. */
  readonly silenceMs?: number
  /** What is offered; the server decides. */
  readonly protocol?: 'v1' | 'json'
}

const ASK_AGAIN_MS = 300
/** How long a kernel that announced its end may take to say its last words. */
const LAST_WORDS_MS = 1_000

/** Opens its connection at the first use, or when told to. */
export function createKernelConnection(
  options: KernelConnectionOptions,
): KernelConnection & { open(): Promise<void> } {
  const { kernelId, logger, now = () => performance.now(), silenceMs = 5_000 } = options
  const activity = createKernelActivity()
  const numbers = createMessageNumbers()
  const turns = createTurns()
  const probes = createProbes({ now })
  const waiting = new Set<() => void>()
  const requests = createRequests({ isDisturbed: activity.isBusyWithOthers, onEnd: onRequestEnd })
  const link = createKernelLink({
    openTimeoutMs: 30_000,
    reconnectMs: 30_000,
    keepAliveMs: 30_000,
    protocol: 'v1',
    ...options,
    now,
    onOpen(socket, said) {
      activity.begin(said, requests.size() > 0)
      void probes.ask(socket)
    },
    onMessage: receive,
    onClose: onBreak,
  })
  const watch = createKernelWatch({
    kernelId,
    requests,
    silenceMs,
    now,
    logger,
    askServer: link.ask,
    askKernel: async () => probes.ask(await link.open()),
    session: () => session,
    onLost: onEnd,
  })
  /** Of the kernel that answered last. */
  let session: string | undefined

  return Object.freeze({
    kernelId,
    state,
    quietMs: watch.quietMs,
    isBusyElsewhere: () => activity.isBusyWithOthers() || requests.some(({ hasReader }) => !hasReader),
    takeTurn: turns.take,
    whenIdle,
    execute,
    async open() {
      await link.open()
    },
    async close() {
      requests.lose(closedHere())
      await link.close()
      wake()
    },
  })

  function state(): KernelState {
    const known = activity.state()
    return requests.size() > 0 && (known === 'idle' || known === 'unknown') ? 'busy' : known
  }

  async function* execute(code: string, { signal, sendUnless, storeHistory = true }: ExecuteOptions = {}) {
    const socket = await liveSocket(either(signal, sendUnless))
    sendUnless?.throwIfAborted()
    const content = {
      // Half a surrogate pair cannot be encoded, and breaks the kernel's handling of the request.
      code: code.toWellFormed(),
      silent: false,
      store_history: storeHistory,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: false,
    }
    const message = createMessage({
      channel: 'shell',
      type: 'execute_request',
      session: socket.sessionId,
      content,
    })
    const request = requests.add(message.header.msg_id, signal)
    watch.heard()
    watch.update()
    socket.send(message)
    try {
      yield* request.events
    } finally {
      request.hasReader = false
    }
  }

  function onRequestEnd(): void {
    watch.update()
    wake()
  }

  /** To a living kernel. Throws when there is none: nothing was sent then. */
  async function liveSocket(signal: AbortSignal | undefined): Promise<KernelSocket> {
    for (;;) {
      signal?.throwIfAborted()
      const socket = await withSignal(openOrDead(), signal)
      if (await socket.isAlive()) return socket
    }
  }

  async function openOrDead(): Promise<KernelSocket> {
    let cause: unknown
    try {
      const socket = await link.open()
      if (activity.state() !== 'dead') return socket
    } catch (error) {
      if (!isNotFound(error)) throw error
      activity.turn('dead')
      cause = error
    }
    throw new ToolError('dead_kernel', `${gone(kernelId).message} Nothing was sent.`, { cause })
  }

  async function whenIdle(signal: AbortSignal): Promise<void> {
    for (;;) {
      const socket = await liveSocket(signal)
      if (state() === 'idle') return
      // What was missed leaves no trace of its end; a question is answered behind all of it. One that a kernel took with it to its end is not.
      const isOverdue = activity.state() !== 'busy' && probes.age() >= ASK_AGAIN_MS
      if (probes.size() === 0 || isOverdue) void probes.ask(socket)
      await change(signal)
    }
  }

  /** Something was said, or a moment has passed. */
  async function change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const moment = setTimeout(resolve, ASK_AGAIN_MS)
    waiting.add(resolve)
    try {
      await withSignal(promise, signal)
    } finally {
      waiting.delete(resolve)
      clearTimeout(moment)
    }
  }

  function wake(): void {
    for (const resolve of waiting) resolve()
  }

  function receive(message: KernelMessage, socket: KernelSocket): void {
    watch.heard()
    const { channel, header, content } = message
    const parent = parentOf(message) ?? ''
    const request = requests.get(parent)
    // The notebook server speaks under our own session where it speaks for the kernel.
    const sender = header.session === socket.sessionId ? undefined : header.session
    if (sender !== undefined) numbers.note(header.msg_id)
    if (request) request.session ??= sender
    if (channel === 'iopub' && header.msg_type === 'status') {
      activity.note(message, request !== undefined || probes.isOne(parent))
      onStatus(content.execution_state, socket)
    }
    if (channel === 'iopub' && header.msg_type === 'shutdown_reply') onShutdown(content.restart === true)
    if (channel === 'stdin' && header.msg_type === 'input_request') refuseInput(message, socket)
    request?.execution.handle(message)
    if (header.msg_type === 'kernel_info_reply' && probes.isOne(parent)) session = sender
    if (probes.note(message)) activity.hasAnswered()
    wake()
  }

  function onStatus(status: unknown, socket: KernelSocket): void {
    if (status === 'restarting') {
      activity.turn('restarting')
      requests.lose(died(true))
      void probes.ask(socket)
    } else if (status === 'dead') {
      onEnd(died(false))
    } else if (status === 'starting') {
      // Code that it has not begun may still be on its way to it.
      requests.lose(restarted(), ({ execution }) => execution.isRunning())
    }
  }

  function onShutdown(isRestart: boolean): void {
    const loss = isRestart ? restarted() : gone(kernelId)
    const doomed = new Set(requests.all())
    for (const { execution } of doomed) execution.doom(loss)
    activity.turn(isRestart ? 'restarting' : 'dead')
    setTimeout(() => {
      requests.lose(loss, (request) => doomed.has(request))
      // Some servers leave the socket of a kernel that is gone open, and what is sent there vanishes.
      if (!isRestart && activity.state() === 'dead') onEnd(loss)
    }, LAST_WORDS_MS).unref()
  }

  function onEnd(loss: Loss): void {
    activity.turn('dead')
    requests.lose(loss)
    link.drop().catch((error) => logger.debug({ err: error, kernel: kernelId }, 'a socket did not close'))
  }

  async function onBreak(): Promise<void> {
    probes.clear()
    activity.turn('unknown')
    requests.forgetUnread()
    wake()
    const cutOff = new Set(requests.all())
    if (cutOff.size === 0) return
    logger.debug({ kernel: kernelId }, 'a kernel connection broke while code ran')
    const gap = numbers.open()
    for (const { execution } of cutOff) execution.cut(gap)
    try {
      await link.reopen()
      watch.lookAround()
    } catch (error) {
      if (isNotFound(error)) activity.turn('dead')
      requests.lose(fromError(error, kernelId), (request) => cutOff.has(request))
    }
  }
}

/** An empty line: whatever waits for input goes on. */
function refuseInput({ header }: KernelMessage, socket: KernelSocket): void {
  const reply = { channel: 'stdin', type: 'input_reply', session: socket.sessionId } as const
  socket.send(createMessage({ ...reply, content: { status: 'ok', value: '' }, parentHeader: { ...header } }))
}

function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}
