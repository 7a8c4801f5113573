/** What gathers the bytes of a body until there is something to hand on. */
export interface BodyReader {
  push(bytes: Buffer): void
  /** There are no more. */
  end(): void
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const BYTE_ORDER_MARK = 0xfeff
const DATA = 'data:'
const MOST_PIECES = 1_000

/**
 * Reads server-sent events, and hands on the data of each: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream.
 * Lines end with LF or CR LF. Other fields than the data, and a last line without its end, are left out.
 */
export function createEventLines(onData: (data: string) => void): BodyReader {
  let rest: Buffer[] = []
  let data: string | undefined
  let isFirst = true

  return {
    push(bytes) {
      // A line feed is never a part of another character, so whole lines are whole characters.
      const end = bytes.lastIndexOf(LINE_FEED)
      if (end === -1) return keep(bytes)
      const text = rest.length === 0 ? bytes.toString('utf8', 0, end) : withRest(bytes.subarray(0, end))
      rest = []
      if (end + 1 < bytes.length) rest.push(bytes.subarray(end + 1))
      takeLines(text)
    },
    end: dispatch,
  }

  function keep(bytes: Buffer): void {
    if (rest.length >= MOST_PIECES) rest = [Buffer.concat(rest)]
    rest.push(bytes)
  }

  function withRest(bytes: Buffer): string {
    return Buffer.concat([...rest, bytes]).toString('utf8')
  }

  function takeLines(text: string): void {
    let start = isFirst && text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0
    isFirst = false
    while (start <= text.length) {
      const found = text.indexOf('\n', start)
      const end = found === -1 ? text.length : found
      takeLine(text, start, text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end)
      start = end + 1
    }
  }

  function takeLine(text: string, start: number, end: number): void {
    if (end <= start) dispatch()
    if (end <= start || !text.startsWith(DATA, start)) return
    const from = start + DATA.length
    const value = text.slice(text.charCodeAt(from) === SPACE ? from + 1 : from, end)
    data = data === undefined ? value : `${data}\n${value}`
  }

  function dispatch(): void {
    if (data === undefined) return
    const whole = data
    data = undefined
    onData(whole)
  }
}

/** For a body that is one piece of data. */
export function createWholeBody(onData: (data: string) => void): BodyReader {
  const pieces: Buffer[] = []
  return {
    push: (bytes) => void pieces.push(bytes),
    end: () => onData(Buffer.concat(pieces).toString('utf8')),
  }
}
