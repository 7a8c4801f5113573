import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@quire/kit/log'
import type { Kernel, KernelMessage, KernelState } from './kernel.ts'
import type { KernelProcess } from './kernel-process.ts'
import { createMessenger } from './messenger.ts'
import type { Said } from './program/frame.mts'
import { createRequestLine } from './request-line.ts'
import { parseSaid } from './said.ts'

export interface PyodideKernelOptions {
  readonly logger: Logger
  /** Fails where no process can be had, whatever is tried. */
  readonly startProcess: (events: ProcessEvents) => Promise<KernelProcess>
}

export interface ProcessEvents {
  readonly onFrame: (json: string) => void
  readonly onExit: (reason: string) => void
}

interface InHand {
  readonly message: KernelMessage
  replied: boolean
  failed: boolean
  readonly done: PromiseWithResolvers<void>
}

const START_MS = 90_000
const STARTS = 3
const UNTAKEN_MS = 2000
const TAKEN_MS = 5000
const REPEAT_MS = 200
const FINISH_MS = 500
const REQUESTS = new Set([
  'execute_request',
  'kernel_info_request',
  'is_complete_request',
  'complete_request',
  'inspect_request',
  'history_request',
  'comm_info_request',
])

export function createPyodideKernel({ logger, startProcess }: PyodideKernelOptions): Kernel {
  const id = randomUUID()
  const messenger = createMessenger()
  const line = createRequestLine()
  let state: KernelState = 'starting'
  let deadBecause = 'it was closed'
  let closed = false
  let current: KernelProcess | undefined
  /** Counts processes: what an earlier one still says is not for us. */
  let generation = 0
  let failedStarts = 0
  let ready = Promise.withResolvers<void>()
  let inHand: InHand | undefined
  let last: KernelMessage | undefined
  let interruptTaken = false
  let restarting: Promise<void> | undefined
  let stopped = Promise.resolve()

  // Who wants to know asks by `restart`; everybody else is told by messages.
  ready.promise.catch(() => undefined)
  void begin()

  async function begin(): Promise<void> {
    generation += 1
    const mine = generation
    const isMine = () => mine === generation
    try {
      const started = await startProcess({
        onFrame: (json) => isMine() && hear(json),
        onExit: (reason) => isMine() && lost(reason),
      })
      if (!isMine()) return started.kill()
      current = started
      logger.debug({ kernel: id, pid: started.pid }, 'the process of a kernel started')
      const patience = setTimeout(started.kill, START_MS)
      const settled = () => clearTimeout(patience)
      ready.promise.then(settled, settled)
    } catch (error) {
      if (isMine()) die(error instanceof Error ? error.message : String(error))
    }
  }

  function hear(json: string): void {
    const said = parseSaid(json)
    if (said === undefined) logger.debug({ kernel: id }, 'a kernel said what no kernel says')
    else if (said.channel === 'process') hearOfProcess(said.type)
    else if (said.channel === 'shell') hearReply(said)
    else hearBroadcast(said)
  }

  function hearOfProcess(type: string): void {
    if (type === 'interrupted') interruptTaken = true
    if (type !== 'ready' || state === 'idle' || state === 'busy') return
    failedStarts = 0
    state = 'idle'
    messenger.status('idle')
    ready.resolve()
    pump()
  }

  function hearReply({ content }: Said): void {
    if (inHand === undefined || inHand.replied) return
    inHand.replied = true
    inHand.failed = content.status === 'error'
    messenger.reply(inHand.message, content)
  }

  function hearBroadcast({ type, content }: Said): void {
    const parent = inHand?.message ?? last
    if (type !== 'status') messenger.say('iopub', type, content, parent)
    else if (content.execution_state === 'idle' && inHand?.replied) finish(inHand)
  }

  function pump(): void {
    if (state !== 'idle' || inHand !== undefined || current === undefined) return
    const next = line.next()
    if (next === undefined) return
    inHand = { message: next.message, replied: false, failed: false, done: Promise.withResolvers() }
    state = 'busy'
    messenger.status('busy', next.message)
    current.ask(next.frame)
  }

  function finish({ message, failed, done }: InHand): void {
    inHand = undefined
    last = message
    state = 'idle'
    messenger.status('idle', message)
    done.resolve()
    if (failed && isExecution(message) && message.content.stop_on_error !== false)
      for (const waiting of line.takeAll(isExecution)) messenger.turnAway(waiting, { status: 'aborted' })
    pump()
  }

  function lost(reason: string): void {
    if (state === 'starting' || state === 'restarting') failedStarts += 1
    logger.warn({ kernel: id, reason }, 'the process of a kernel ended by itself')
    if (failedStarts >= STARTS)
      die(`its process ended ${reason} before it was ready, ${STARTS} times in a row`)
    else replace(`The kernel's process ended ${reason}. Its variables are lost; a new one starts.`)
  }

  /** A new process, said to whoever listens. */
  function replace(text: string): void {
    letGo(text)
    state = 'restarting'
    messenger.status('restarting')
    ready.reject(new Error(text))
    ready = Promise.withResolvers()
    ready.promise.catch(() => undefined)
    void begin()
  }

  function die(reason: string): void {
    deadBecause = reason
    letGo(`The kernel is dead: ${reason}.`)
    generation += 1
    state = 'dead'
    messenger.status('dead')
    ready.reject(new Error(`the kernel is dead: ${reason}`))
  }

  /** Nobody waits for an answer that cannot come. */
  function letGo(text: string): void {
    const stopped = inHand
    inHand = undefined
    current = undefined
    last = undefined
    messenger.complain(text, stopped?.message)
    if (stopped !== undefined) {
      if (!stopped.replied) messenger.reply(stopped.message, toFailure('DeadKernelError', text))
      messenger.status('idle', stopped.message)
      stopped.done.resolve()
    }
    for (const waiting of line.takeAll()) messenger.turnAway(waiting, { status: 'aborted' })
  }

  function send(message: KernelMessage): void {
    messenger.touch()
    if (closed) return
    const type = message.header.msg_type
    if (type === 'interrupt_request') void answerWhenDone(message, interrupt())
    else if (type === 'shutdown_request') shutDown(message)
    else if (type === 'comm_open')
      messenger.say('iopub', 'comm_close', { comm_id: message.content.comm_id, data: {} }, message)
    else if (REQUESTS.has(type)) accept(message)
    else logger.debug({ kernel: id, type }, 'a kernel does not know this message')
  }

  function accept(message: KernelMessage): void {
    const refusal = state === 'dead' ? `The kernel is dead: ${deadBecause}.` : line.add(message)
    if (refusal === undefined) {
      pump()
    } else {
      messenger.complain(refusal, message)
      messenger.turnAway(message, toFailure('KernelError', refusal))
    }
  }

  async function answerWhenDone(message: KernelMessage, work: Promise<void>): Promise<void> {
    await work
    messenger.reply(message, { status: 'ok' })
  }

  function shutDown(message: KernelMessage): void {
    const again = message.content.restart === true
    messenger.reply(message, { status: 'ok', restart: again })
    const work = again ? restart() : end('it was shut down; restart it to use it again')
    work.catch((error: unknown) => logger.warn({ kernel: id, err: error }, 'a kernel did not restart'))
  }

  async function interrupt(): Promise<void> {
    const interrupted = inHand
    for (const waiting of interrupted === undefined ? line.takeAll(isExecution) : [])
      messenger.turnAway(waiting, { status: 'aborted' })
    if (interrupted === undefined) return
    interruptTaken = false
    const since = performance.now()
    while (inHand === interrupted) {
      const waited = performance.now() - since
      if (waited >= (interruptTaken ? TAKEN_MS : UNTAKEN_MS)) {
        const old = current
        replace(
          'The code did not react to the interrupt. Its process was ended and its variables are lost; a new one starts.',
        )
        old?.kill()
        return
      }
      // Said again: it may have come before the code began.
      if (!interruptTaken) current?.interrupt()
      await Promise.race([interrupted.done.promise, sleep(REPEAT_MS)])
    }
  }

  function restart(): Promise<void> {
    if (closed) return Promise.reject(new Error('the kernel was closed'))
    restarting ??= startAgain().finally(() => {
      restarting = undefined
    })
    return restarting
  }

  async function startAgain(): Promise<void> {
    const old = current
    const grace = inHand === undefined && state === 'idle' ? FINISH_MS : 0
    failedStarts = 0
    replace('The kernel was restarted.')
    await old?.stop(grace)
    await ready.promise
  }

  async function end(reason: string): Promise<void> {
    const old = current
    const grace = inHand === undefined && state === 'idle' ? FINISH_MS : 0
    if (state !== 'dead') die(reason)
    if (old !== undefined) stopped = old.stop(grace)
    await stopped
  }

  async function close(): Promise<void> {
    closed = true
    await end('it was closed')
  }

  return Object.freeze({
    id,
    state: () => state,
    lastActivity: messenger.lastActivity,
    send,
    onMessage: messenger.onMessage,
    interrupt,
    restart,
    close,
  })
}

function isExecution({ header }: KernelMessage): boolean {
  return header.msg_type === 'execute_request'
}

function toFailure(ename: string, evalue: string): Record<string, unknown> {
  return { status: 'error', ename, evalue, traceback: [evalue], execution_count: null, user_expressions: {} }
}
