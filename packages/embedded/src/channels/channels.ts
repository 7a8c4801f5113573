import type { Logger } from '@quire/kit/log'
import type { Kernel, KernelMessage } from '../kernel/kernel.ts'
import type { Peer } from '../socket/peer.ts'
import { oldWire, V1_PROTOCOL, v1Wire } from './kernel-wire.ts'

const MOST_SESSIONS = 100
const MOST_UNREADABLE = 100
const UNREADABLE = 1003

/**
 * Connects one client to a kernel. What the kernel publishes goes to everybody, its replies to the client whose session asked: the one of the address
 * counts from the start, so that who comes back with it hears what is still to come.
 */
export function connectChannels(
  peer: Peer,
  kernel: Kernel,
  sessionId: string | undefined,
  logger: Logger,
): void {
  const wire = peer.protocol === V1_PROTOCOL ? v1Wire : oldWire
  const sessions = new Set<unknown>(sessionId ? [sessionId] : [])
  let unreadable = 0

  const stop = kernel.onMessage((message) => {
    if (message.channel === 'iopub' || sessions.has(message.parent_header.session))
      peer.send(wire.encode(message))
  })
  peer.onClose(stop)
  peer.onMessage((data, isBinary) => {
    const message = decode(data, isBinary)
    if (!message || message.channel === 'iopub') return
    if (sessions.size < MOST_SESSIONS) sessions.add(message.header.session)
    kernel.send(message)
  })

  /** One frame that cannot be read harms nobody; who sends nothing else is no client. */
  function decode(data: Buffer, isBinary: boolean): KernelMessage | undefined {
    try {
      return wire.decode(data, isBinary)
    } catch (error) {
      unreadable += 1
      logger.warn({ err: error }, 'a client of a kernel sent a frame that cannot be read')
      if (unreadable >= MOST_UNREADABLE) peer.close(UNREADABLE, 'These frames are no kernel messages.')
      return undefined
    }
  }
}
