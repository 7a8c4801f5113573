import type { KernelMessage } from './kernel.ts'
import { toFrame } from './program/frame.mts'

const MAX_WAITING = 1000
const MAX_WAITING_BYTES = 64 * 1024 * 1024

export interface WaitingRequest {
  readonly message: KernelMessage
  readonly frame: Buffer
}

/** The requests that wait for Python, in order. One is in its hands at a time, so that those behind a failure can be given up. */
export interface RequestLine {
  /** Undefined when taken; else the reason why not. */
  add(message: KernelMessage): string | undefined
  next(): WaitingRequest | undefined
  /** Empties it of what the test wants, in order. */
  takeAll(wanted?: (message: KernelMessage) => boolean): KernelMessage[]
}

export function createRequestLine(): RequestLine {
  let waiting: WaitingRequest[] = []
  let bytes = 0

  return Object.freeze({
    add(message: KernelMessage): string | undefined {
      if (waiting.length >= MAX_WAITING) return `${MAX_WAITING} requests wait for this kernel already`
      const json = JSON.stringify({ type: message.header.msg_type, content: message.content })
      if (bytes + Buffer.byteLength(json) > MAX_WAITING_BYTES)
        return 'the requests that wait for this kernel are larger than 64 MiB'
      const frame = toFrame(json)
      waiting.push({ message, frame })
      bytes += frame.length
      return undefined
    },
    next(): WaitingRequest | undefined {
      const first = waiting.shift()
      bytes -= first?.frame.length ?? 0
      return first
    },
    takeAll(wanted: (message: KernelMessage) => boolean = () => true): KernelMessage[] {
      const taken = waiting.filter(({ message }) => wanted(message))
      waiting = waiting.filter(({ message }) => !wanted(message))
      bytes = waiting.reduce((sum, { frame }) => sum + frame.length, 0)
      return taken.map(({ message }) => message)
    },
  })
}
