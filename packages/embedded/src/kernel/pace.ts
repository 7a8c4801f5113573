import type { Readable } from 'node:stream'

const WINDOW_MS = 100

export interface Pace {
  /** Bytes that were read. Past the share of a moment the stream rests until the next one: who writes it has to wait. */
  count(bytes: number): void
  stop(): void
}

export function createPace(stream: Readable, bytesPerSecond: number): Pace {
  const share = (bytesPerSecond * WINDOW_MS) / 1000
  let windowStart = performance.now()
  let counted = 0
  let timer: NodeJS.Timeout | undefined

  return Object.freeze({
    count(bytes: number): void {
      const now = performance.now()
      if (now - windowStart >= WINDOW_MS) {
        windowStart = now
        counted = 0
      }
      counted += bytes
      if (counted < share || timer !== undefined) return
      stream.pause()
      timer = setTimeout(
        () => {
          timer = undefined
          stream.resume()
        },
        WINDOW_MS - (now - windowStart),
      )
    },
    stop(): void {
      clearTimeout(timer)
    },
  })
}
