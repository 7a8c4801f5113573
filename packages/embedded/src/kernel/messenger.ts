import { randomUUID } from 'node:crypto'
import type { KernelMessage } from './kernel.ts'

const PROTOCOL_VERSION = '5.3'

type Content = Readonly<Record<string, unknown>>
type Parent = KernelMessage | undefined

export interface Messenger {
  onMessage(listener: (message: KernelMessage) => void): () => void
  say(channel: KernelMessage['channel'], type: string, content: Content, parent?: Parent): void
  status(state: string, parent?: Parent): void
  /** On the channel that the request came by. */
  reply(request: KernelMessage, content: Content): void
  /** A request that never reached Python, answered in full. */
  turnAway(request: KernelMessage, content: Content): void
  /** Shown in the cell where there is one. */
  complain(text: string, parent?: Parent): void
  touch(): void
  lastActivity(): string
}

export function createMessenger(): Messenger {
  const listeners = new Set<(message: KernelMessage) => void>()
  const session = randomUUID()
  let lastActivity = new Date()

  function say(channel: KernelMessage['channel'], type: string, content: Content, parent?: Parent): void {
    lastActivity = new Date()
    const message: KernelMessage = {
      channel,
      header: {
        msg_id: randomUUID(),
        msg_type: type,
        session,
        username: 'kernel',
        date: lastActivity.toISOString(),
        version: PROTOCOL_VERSION,
      },
      parent_header: parent?.header ?? {},
      metadata: {},
      content,
    }
    for (const listener of [...listeners]) listener(message)
  }

  function status(state: string, parent?: Parent): void {
    say('iopub', 'status', { execution_state: state }, parent)
  }

  function reply(request: KernelMessage, content: Content): void {
    say(request.channel, request.header.msg_type.replace(/_request$/, '_reply'), content, request)
  }

  return Object.freeze({
    onMessage(listener: (message: KernelMessage) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    say,
    status,
    reply,
    turnAway(request: KernelMessage, content: Content): void {
      status('busy', request)
      reply(request, content)
      status('idle', request)
    },
    complain(text: string, parent?: Parent): void {
      say('iopub', 'stream', { name: 'stderr', text: `${text}\n` }, parent)
    },
    touch(): void {
      lastActivity = new Date()
    },
    lastActivity: () => lastActivity.toISOString(),
  })
}
