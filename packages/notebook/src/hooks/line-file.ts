import { close, fsync, openSync, readSync, type Stats, statSync, write } from 'node:fs'
import { promisify } from 'node:util'

export interface LineFile {
  /** Resolves when the line has been handed to the system, behind all that were appended before it. A line that could not be written is tried again with the next one. */
  append(line: string): Promise<void>
  /** Writes what is left. */
  flush(): Promise<void>
  close(): Promise<void>
}

const MOST_UNWRITTEN = 16 * 1024 * 1024
const LINE_BREAK = 10

const writeFile = promisify(write)
const syncFile = promisify(fsync)
const closeFile = promisify(close)

/** Opens a file for appending, readable by its owner alone when it is new. Throws at once when that cannot be. */
export function openLineFile(path: string): LineFile {
  const status = statSync(path, { throwIfNoEntry: false })
  // Opening a pipe waits for whoever reads it.
  if (status && !status.isFile() && !status.isCharacterDevice()) throw new Error('it is not a file')
  const descriptor = openSync(path, 'a+', 0o600)
  let queue: Buffer[] = endsWithinLine(descriptor, status) ? [Buffer.from('\n')] : []
  let unwritten = 0
  let turn = Promise.resolve()
  let closing: Promise<void> | undefined

  async function append(line: string): Promise<void> {
    if (closing) throw new Error('it is closed')
    const bytes = Buffer.from(`${line}\n`)
    if (unwritten + bytes.length > MOST_UNWRITTEN) throw new Error(`${unwritten} bytes wait to be written`)
    queue.push(bytes)
    unwritten += bytes.length
    return flush()
  }

  /** One writes at a time, and for all who wait. */
  function flush(): Promise<void> {
    const written = turn.then(writeQueue)
    turn = written.catch(() => undefined) // whoever waits for `written` is told
    return written
  }

  async function writeQueue(): Promise<void> {
    while (queue.length > 0) {
      const batch = Buffer.concat(queue)
      queue = [batch]
      const { bytesWritten } = await writeFile(descriptor, batch)
      // What was appended meanwhile stands behind it; a line that was written in part goes on where it stopped.
      queue[0] = batch.subarray(bytesWritten)
      if (bytesWritten === batch.length) queue.shift()
      unwritten -= bytesWritten
    }
  }

  async function finish(): Promise<void> {
    try {
      await flush()
      await syncFile(descriptor)
    } finally {
      await closeFile(descriptor)
    }
  }

  return Object.freeze({
    append,
    flush,
    close() {
      closing ??= finish()
      return closing
    },
  })
}

/** Its last writer may have died in the middle of a line. */
function endsWithinLine(descriptor: number, status: Stats | undefined): boolean {
  if (!status?.isFile() || status.size === 0) return false
  const last = Buffer.alloc(1)
  readSync(descriptor, last, 0, 1, status.size - 1)
  return last[0] !== LINE_BREAK
}
