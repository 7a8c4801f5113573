const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const MAX_PARTS = 1024

export interface LineReaderOptions {
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  /** Sees each line before it becomes text, without its newline; true: taken, and `onLine` is not called. */
  readonly onBytes?: ((line: Buffer) => boolean) | undefined
  /** Called once per line that is too long, with its head; the rest up to the next newline is skipped. */
  readonly onOverflow: (head: string) => void
}

export interface LineReader {
  push(chunk: Buffer): void
  /** Hands over a last line that had no newline. */
  end(): void
}

/** Cuts a byte stream into lines and never holds more than `maxBytes` of one. */
export function createLineReader({ maxBytes, onLine, onBytes, onOverflow }: LineReaderOptions): LineReader {
  let parts: Buffer[] = []
  let length = 0
  let skipping = false

  function keep(bytes: Buffer): void {
    if (skipping || bytes.length === 0) return
    parts.push(bytes)
    length += bytes.length
    if (length > maxBytes) {
      skipping = true
      onOverflow(takeLine().subarray(0, maxBytes).toString('utf8'))
    } else if (parts.length > MAX_PARTS) {
      // A writer that flushes byte by byte must not cost an object for each of them.
      parts = [Buffer.concat(parts)]
    }
  }

  function takeLine(): Buffer {
    const [only] = parts
    const line = parts.length === 1 && only ? only : Buffer.concat(parts)
    parts = []
    length = 0
    return line
  }

  function finishLine(): void {
    if (!skipping) hand(takeLine())
    skipping = false
  }

  function hand(line: Buffer): void {
    if (!onBytes?.(line)) onLine(toText(line))
  }

  return Object.freeze({
    push(chunk: Buffer): void {
      let start = 0
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start)
        if (end === -1) break
        if (length === 0 && !skipping && end - start <= maxBytes) {
          hand(chunk.subarray(start, end))
        } else {
          keep(chunk.subarray(start, end))
          finishLine()
        }
        start = end + 1
      }
      keep(chunk.subarray(start))
    },
    end(): void {
      if (length > 0) finishLine()
    },
  })
}

function toText(line: Buffer): string {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length
  return line.toString('utf8', 0, end)
}
