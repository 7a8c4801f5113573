import { writeSync } from 'node:fs'
import { MESSAGES_FD, type Said, toFrame } from './frame.mts'

const PIECE_CHARACTERS = 64 * 1024
const HELD_MS = 50

export type StreamName = 'stdout' | 'stderr'

export interface Publisher {
  say(message: Said): void
  /** As `say`, with the content already in JSON. False where it is too large to be sent. */
  sayJson(channel: Said['channel'], type: string, contentJson: string): boolean
  /** Held back for a moment, so that a loop that prints costs few messages. */
  print(name: StreamName, text: string): void
  /** Sends what was held back for long enough. */
  tick(now: number): void
  flush(): void
}

/** Writes are synchronous: they work while Python runs, and whoever floods waits until the host has read. */
export function createPublisher(): Publisher {
  let name: StreamName = 'stdout'
  let pieces: string[] = []
  let length = 0
  let since = 0

  function write(json: string): void {
    const frame = toFrame(json)
    for (let written = 0; written < frame.length; ) written += writeSync(MESSAGES_FD, frame, written)
  }

  function flush(): void {
    if (length === 0) return
    const text = pieces.join('')
    pieces = []
    length = 0
    for (let start = 0; start < text.length; ) {
      const end = endOfPiece(text, start)
      write(
        JSON.stringify({ channel: 'iopub', type: 'stream', content: { name, text: text.slice(start, end) } }),
      )
      start = end
    }
  }

  return Object.freeze({
    say(message: Said): void {
      flush()
      write(JSON.stringify(message))
    },
    sayJson(channel: Said['channel'], type: string, contentJson: string): boolean {
      flush()
      try {
        write(`{"channel":"${channel}","type":"${type}","content":${contentJson}}`)
        return true
      } catch (error) {
        if (error instanceof RangeError) return false
        throw error
      }
    },
    print(stream: StreamName, text: string): void {
      if (stream !== name) flush()
      name = stream
      if (length === 0) since = performance.now()
      pieces.push(text)
      length += text.length
      if (length >= PIECE_CHARACTERS) flush()
    },
    tick(now: number): void {
      if (now - since >= HELD_MS) flush()
    },
    flush,
  })
}

/** Never between the two halves of a character beyond the first 65,536. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(start + PIECE_CHARACTERS, text.length)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}
