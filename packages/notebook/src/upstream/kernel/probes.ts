import type { KernelSocket } from './kernel-socket.ts'
import { createMessage, type KernelMessage, parentOf } from './message.ts'

/** Questions to the kernel, which it answers behind all that was sent to it before. */
export interface Probes {
  /** Resolves when it is answered, and all that the kernel said before has arrived. Never, when the connection breaks. */
  ask(socket: KernelSocket): Promise<void>
  isOne(id: string | undefined): boolean
  /** How many are not answered. */
  size(): number
  /** Since the last question, in milliseconds. */
  age(): number
  /** True when the message completes an answer. */
  note(message: KernelMessage): boolean
  /** The connection broke: no answers will come. */
  clear(): void
}

interface Probe {
  hasReply: boolean
  isIdle: boolean
  readonly answered: () => void
}

const MAX_PROBES = 100

export function createProbes({ now }: { readonly now: () => number }): Probes {
  const probes = new Map<string, Probe>()
  let last = now()

  return Object.freeze({
    ask(socket: KernelSocket) {
      const { sessionId: session } = socket
      const message = createMessage({ channel: 'shell', type: 'kernel_info_request', session, content: {} })
      const [oldest] = probes.keys()
      if (oldest !== undefined && probes.size >= MAX_PROBES) probes.delete(oldest)
      const { promise, resolve } = Promise.withResolvers<void>()
      probes.set(message.header.msg_id, { hasReply: false, isIdle: false, answered: resolve })
      last = now()
      socket.send(message)
      return promise
    },
    isOne: (id: string | undefined) => id !== undefined && probes.has(id),
    size: () => probes.size,
    age: () => now() - last,
    note(message: KernelMessage) {
      const id = parentOf(message) ?? ''
      const probe = probes.get(id)
      if (!probe) return false
      if (message.header.msg_type === 'kernel_info_reply') probe.hasReply = true
      if (message.content.execution_state === 'idle') probe.isIdle = true
      if (!probe.hasReply || !probe.isIdle) return false
      for (const [earlier, { answered }] of probes) {
        probes.delete(earlier)
        answered()
        if (earlier === id) break
      }
      return true
    },
    clear: () => probes.clear(),
  })
}
