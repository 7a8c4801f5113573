import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface LogFollowers {
  /** Waits until each has so many lines, or the time is over, and closes them all. */
  untilEach(lines: number, deadlineMs: number): Promise<{ received: number; outOfOrder: number }>
}

const OPEN_MS = 20_000
/** So many handshakes at a time. */
const BATCH = 50

/** Readers of `/ws/logs` that look at the number at the end of each line. */
export async function followLogs(url: string, count: number): Promise<LogFollowers> {
  const sockets: WebSocket[] = []
  const lastLines: number[] = Array.from({ length: count }, () => 0)
  let received = 0
  let outOfOrder = 0
  let wanted = Number.POSITIVE_INFINITY
  const done = Promise.withResolvers<void>()

  function take(index: number, data: string): void {
    const number = Number(/line (\d+)"/.exec(data)?.[1] ?? Number.NaN)
    if (Number.isNaN(number)) return
    received += 1
    if (number !== (lastLines[index] ?? 0) + 1) outOfOrder += 1
    lastLines[index] = number
    if (received >= wanted) done.resolve()
  }

  for (let start = 0; start < count; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - start) }, () => new WebSocket(url))
    for (const [index, socket] of batch.entries()) {
      socket.on('message', (data) => take(start + index, String(data)))
    }
    await Promise.all(batch.map((socket) => once(socket, 'open', { signal: AbortSignal.timeout(OPEN_MS) })))
    sockets.push(...batch)
  }

  return {
    async untilEach(lines, deadlineMs) {
      wanted = lines * count
      const timer = setTimeout(() => done.resolve(), deadlineMs)
      await done.promise
      clearTimeout(timer)
      for (const socket of sockets) socket.terminate()
      return { received, outOfOrder }
    },
  }
}
