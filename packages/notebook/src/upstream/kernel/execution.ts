import type { Json } from '../../document/nbformat.ts'
import { toCount, toOutput } from '../../document/read-output.ts'
import type { ExecutionEvent } from './execution-event.ts'
import { type Loss, unanswered, unseen } from './loss.ts'
import type { KernelMessage } from './message.ts'
import type { Gap } from './message-numbers.ts'
import { toOutputEvent } from './output-event.ts'

/** One request to execute code, from its sending to its last event. */
export interface Execution {
  /** A message that answers it. */
  handle(message: KernelMessage): void
  /** The connection broke. Whether something is missing shows at the end, and is told there. */
  cut(gap: Gap): void
  /** The kernel is ending: what still arrives is taken, and the end will be this. */
  doom(loss: Loss): void
  lose(loss: Loss): void
  /** The kernel has nothing more to say about it: it ends with what is known. */
  conclude(): void
  /** The kernel said that it is at it, but not with which count. */
  announce(): void
  isRunning(): boolean
  /** The kernel has answered, so that it is through with it, whatever became of the rest. */
  hasReply(): boolean
  /** Of the two messages that make an end only one has come. */
  isHalfEnded(): boolean
}

export interface ExecutionOptions {
  readonly emit: (event: ExecutionEvent) => void
  /** After the last event. */
  readonly onEnd: () => void
  /** Whether the kernel is at a request beside the code, which can only be about the kernel itself: perhaps its shutdown. */
  readonly isDisturbed: () => boolean
}

/** A shutdown interrupts the code first, and says what it is only afterwards. */
const HOLD_MS = 1000

export function createExecution({ emit, onEnd, isDisturbed }: ExecutionOptions): Execution {
  let isBusy = false
  let isIdle = false
  let isAnnounced = false
  let hasError = false
  let count: number | null = null
  /** Since the first break. */
  let gap: Gap | undefined
  let reply: Json | undefined
  let doomedTo: Loss | undefined
  let hold: NodeJS.Timeout | undefined
  let isEnded = false

  return Object.freeze({
    handle,
    cut(since: Gap) {
      gap ??= since
    },
    doom(loss: Loss) {
      doomedTo ??= loss
      if (hold) end()
    },
    lose(loss: Loss) {
      doomedTo ??= loss
      end()
    },
    conclude() {
      if (isEnded) return
      if (!isBusy && !isIdle && !reply) doomedTo ??= unseen(gap?.isClosed() ?? false)
      // Only a break explains why a reply did not come, or why messages before it did not.
      else if (!gap && !reply) doomedTo ??= unanswered()
      else if (!gap) emit(FLOODED)
      end()
    },
    announce() {
      if (isBusy) start(null)
    },
    isRunning: () => isBusy && !isIdle && !isEnded,
    hasReply: () => reply !== undefined,
    isHalfEnded: () => !isEnded && isIdle !== (reply !== undefined),
  })

  function handle(message: KernelMessage): void {
    if (isEnded) return
    const { channel, header, content } = message
    if (channel === 'iopub') handleNews(message)
    else if (channel === 'stdin' && header.msg_type === 'input_request') {
      emit({ type: 'input_refused', prompt: typeof content.prompt === 'string' ? content.prompt : '' })
    } else if (channel === 'shell' && header.msg_type === 'execute_reply') {
      reply = content
    }
    if (reply && isIdle) finish()
  }

  function handleNews(message: KernelMessage): void {
    const { header, content } = message
    if (header.msg_type === 'status') {
      if (content.execution_state === 'busy') isBusy = true
      if (content.execution_state === 'idle') isIdle = true
    } else if (header.msg_type === 'execute_input') {
      start(toCount(content.execution_count))
    } else {
      const event = toOutputEvent(message)
      if (!event) return
      start(null)
      if (event.type === 'output' && event.output.output_type === 'error') hasError = true
      emit(event)
    }
  }

  function start(executionCount: number | null): void {
    isBusy = true
    if (isAnnounced) return
    isAnnounced = true
    count = executionCount
    emit({ type: 'started', executionCount })
  }

  function finish(): void {
    if (status() !== 'error' || doomedTo || !isDisturbed()) end()
    else hold ??= setTimeout(end, HOLD_MS)
  }

  function end(): void {
    if (isEnded) return
    clearTimeout(hold)
    if (gap && doomedTo?.reason !== 'disconnected') {
      emit({ type: 'reconnected', mayMissOutputs: !gap.isClosed() })
    }
    if (doomedTo) emit({ type: 'lost', ...doomedTo })
    else {
      if (reply && status() === 'error' && !hasError) {
        emit({ type: 'output', output: toOutput({ ...pickError(reply), output_type: 'error' }) })
      }
      emit({ type: 'done', status: status(), executionCount: toCount(reply?.execution_count) ?? count })
    }
    isEnded = true
    onEnd()
  }

  function status(): 'ok' | 'error' | 'aborted' {
    if (!reply) return hasError ? 'error' : 'ok'
    if (reply.status === 'ok' || reply.status === 'error') return reply.status
    return 'aborted'
  }
}

/** Between a kernel and its server messages are dropped when there are too many, the one that the kernel is idle among them. */
const FLOODED: ExecutionEvent = {
  type: 'output',
  output: {
    output_type: 'stream',
    name: 'stderr',
    text: '\n[outputs were lost: they came faster than the notebook server could pass them on]\n',
  },
}

function pickError({ ename, evalue, traceback }: Json): Json {
  return { ename, evalue, traceback }
}
