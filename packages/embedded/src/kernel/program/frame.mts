/** One frame: its length in four bytes, then JSON in UTF-8. A result larger than this is refused on both sides. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024
const HEADER_BYTES = 4

/** Of the child process, beyond the usual three. */
export const REQUESTS_FD = 3
export const MESSAGES_FD = 4
export const INTERRUPTS_FD = 5

/** What the host asks of the kernel's process; one at a time. */
export interface Request {
  readonly type: string
  readonly content: Readonly<Record<string, unknown>>
}

/** What the kernel's process says: it belongs to the request in hand, or to the last one. */
export interface Said {
  readonly channel: 'shell' | 'iopub' | 'process'
  readonly type: string
  readonly content: Readonly<Record<string, unknown>>
}

export function toFrame(json: string): Buffer {
  const length = Buffer.byteLength(json)
  if (length > MAX_FRAME_BYTES) throw new RangeError(`a message of ${length} bytes is too large`)
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length)
  frame.writeUInt32BE(length)
  frame.write(json, HEADER_BYTES)
  return frame
}

export interface FrameReader {
  push(chunk: Buffer): void
}

/** Throws at a frame that announces more than that; never holds more than one frame and a chunk. */
export function createFrameReader(onFrame: (json: string) => void): FrameReader {
  let parts: Buffer[] = []
  let held = 0

  return Object.freeze({
    push(chunk: Buffer): void {
      parts.push(chunk)
      held += chunk.length
      let wanted = nextLength()
      if (held < HEADER_BYTES + wanted) return
      let bytes = Buffer.concat(parts)
      while (bytes.length >= HEADER_BYTES) {
        wanted = checked(bytes.readUInt32BE())
        if (bytes.length < HEADER_BYTES + wanted) break
        onFrame(bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + wanted))
        bytes = bytes.subarray(HEADER_BYTES + wanted)
      }
      parts = bytes.length > 0 ? [bytes] : []
      held = bytes.length
    },
  })

  function nextLength(): number {
    if (held < HEADER_BYTES) return 0
    const [first] = parts
    if (first === undefined || first.length < HEADER_BYTES) parts = [Buffer.concat(parts)]
    return checked(parts[0]?.readUInt32BE() ?? 0)
  }

  function checked(length: number): number {
    if (length > MAX_FRAME_BYTES)
      throw new RangeError(`a frame of ${length} bytes is larger than ${MAX_FRAME_BYTES}`)
    return length
  }
}
