import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Link } from './link.ts'

/** For a relay that shares a connection with the SDK: it sees what comes before the SDK does, and may keep it. */
export interface Tap {
  /** The link that is about to start; once more when the handshake has to be tried again. */
  readonly attach: (link: Link) => void
  /** Each line of a stdio server, before it is read; true: the SDK does not see it. */
  readonly onLine: (line: Buffer) => boolean
  /** The same for all other transports. */
  readonly onMessage: (message: JSONRPCMessage) => boolean
  /** What the SDK sends. */
  readonly onSend: (message: JSONRPCMessage) => void
}

/** The same transport, with the tap between it and the SDK. */
export function tapTransport(transport: Transport, isStdio: boolean, tap: Tap): Transport {
  // The SDK knows stdio by its properties, so that one stays the object that it is.
  const tapped = isStdio ? transport : divert(transport, tap)
  const { send } = tapped
  tapped.send = (message, options) => {
    tap.onSend(message)
    return send(message, options)
  }
  return tapped
}

function divert(inner: Transport, { onMessage }: Tap): Transport {
  const outer: Transport = {
    get sessionId() {
      return inner.sessionId
    },
    ...(inner.hasPerRequestStream && { hasPerRequestStream: true }),
    start() {
      inner.onmessage = (message, extra) => {
        if (!onMessage(message)) outer.onmessage?.(message, extra)
      }
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onclose = () => outer.onclose?.()
      return inner.start()
    },
    send: (message, options) => inner.send(message, options),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    close: () => inner.close(),
  }
  return outer
}
