const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const LINE_BREAK = Buffer.from('\n')
const MAX_RETRY_DIGITS = 9
const MAX_PARTS = 1024

export interface EventReaderOptions {
  /** Of one event. */
  readonly maxBytes: number
  /** The data of one message. */
  readonly onData: (data: Buffer) => void
  /** An id, for taking the stream up again after it. */
  readonly onId: (id: string) => void
  readonly onRetry: (ms: number) => void
  /** Called once, when an event is too long; nothing is read any more. */
  readonly onOverflow: () => void
}

/** Reads server-sent events from bytes as they come, and never holds more than `maxBytes` of one. */
export function createEventReader(options: EventReaderOptions): { push(chunk: Buffer): void } {
  const { maxBytes, onData, onId, onRetry, onOverflow } = options
  let parts: Buffer[] = []
  let data: Buffer[] = []
  let held = 0
  let type = ''
  let afterReturn = false
  let isOver = false

  function finishLine(): void {
    const [only] = parts
    const line = parts.length === 1 && only ? only : Buffer.concat(parts)
    parts = []
    if (line.length === 0) finishEvent()
    else takeField(line)
  }

  function takeField(line: Buffer): void {
    const colon = line.indexOf(COLON)
    const field = line.toString('latin1', 0, colon === -1 ? line.length : colon)
    const value = colon === -1 ? line.subarray(line.length) : valueAfter(line, colon)
    if (field === 'data') data.push(value)
    else held -= line.length
    if (field === 'event') type = value.toString('utf8')
    if (field === 'id' && !value.includes(0)) onId(value.toString('utf8'))
    if (field === 'retry' && isDigits(value)) onRetry(Number(value.toString('latin1')))
  }

  function finishEvent(): void {
    const [first] = data
    // An event without data only carries its id.
    if (first && (type === '' || type === 'message')) {
      const whole = data.length === 1 ? first : Buffer.concat(joined(data))
      if (whole.length > 0) onData(whole)
    }
    data = []
    type = ''
    held = 0
  }

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    parts.push(bytes)
    held += bytes.length
    // A writer that flushes byte by byte must not cost an object for each of them.
    if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)]
    if (held <= maxBytes) return
    isOver = true
    parts = []
    data = []
    onOverflow()
  }

  return Object.freeze({
    push(chunk: Buffer): void {
      let start = 0
      while (!isOver && start < chunk.length) {
        // A line may end with CR, LF or both.
        if (afterReturn && chunk[start] === NEWLINE) start += 1
        afterReturn = false
        const end = lineEnd(chunk, start)
        keep(chunk.subarray(start, end === -1 ? chunk.length : end))
        if (end === -1 || isOver) return
        afterReturn = chunk[end] === CARRIAGE_RETURN
        finishLine()
        start = end + 1
      }
    },
  })
}

function lineEnd(chunk: Buffer, from: number): number {
  const newline = chunk.indexOf(NEWLINE, from)
  const carriageReturn = chunk
    .subarray(from, newline === -1 ? chunk.length : newline)
    .indexOf(CARRIAGE_RETURN)
  return carriageReturn === -1 ? newline : from + carriageReturn
}

function valueAfter(line: Buffer, colon: number): Buffer {
  return line.subarray(line[colon + 1] === SPACE ? colon + 2 : colon + 1)
}

function joined(lines: readonly Buffer[]): Buffer[] {
  return lines.flatMap((line, index) => (index === 0 ? [line] : [LINE_BREAK, line]))
}

function isDigits(value: Buffer): boolean {
  return (
    value.length > 0 &&
    value.length <= MAX_RETRY_DIGITS &&
    value.every((byte) => byte >= 0x30 && byte <= 0x39)
  )
}
