import { constants, type FileHandle, open, stat } from 'node:fs/promises'

export interface LineFileOptions {
  /** Called when the first of a row of writes fails, and again when one works: how many lines were lost meanwhile. */
  readonly onFault: (error: unknown) => void
  readonly onRecovered: (lost: number) => void
  /** How long it is left alone after a write that failed. */
  readonly retryMs: number
}

export interface LineFile {
  /** Never throws and never waits: what cannot be written is kept for a while, and then lost. */
  append(line: string): void
  lost(): number
  /** Writes what is left, as far as that can be. */
  close(): Promise<void>
}

const MOST_UNWRITTEN = 4 * 1024 * 1024
/** A pipe that nobody reads fails at once, instead of waiting for a reader. */
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NONBLOCK

/** A file that lines are appended to, readable by its owner alone. A file that was moved away is followed by a new one at the old place. */
export function createLineFile(path: string, { onFault, onRecovered, retryMs }: LineFileOptions): LineFile {
  let handle: FileHandle | undefined
  let waiting: Buffer[] = []
  let unwritten = 0
  let lost = 0
  let lostBefore = 0
  let isFaulty = false
  let retryAt = 0
  let writing: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function append(line: string): void {
    const bytes = Buffer.from(`${line}\n`)
    if (closing || unwritten + bytes.length > MOST_UNWRITTEN) {
      lost += 1
      return
    }
    waiting.push(bytes)
    unwritten += bytes.length
    if (!writing && performance.now() >= retryAt)
      writing = write().finally(() => {
        writing = undefined
      })
  }

  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) await writeBatch()
      if (isFaulty) onRecovered(lost - lostBefore)
      isFaulty = false
      retryAt = 0
      lostBefore = lost
    } catch (error) {
      if (!isFaulty) onFault(error)
      isFaulty = true
      retryAt = performance.now() + retryMs
    }
  }

  /** What was written in part goes on where it stopped. */
  async function writeBatch(): Promise<void> {
    const batch = Buffer.concat(waiting)
    waiting = [batch]
    handle = await current(handle)
    const { bytesWritten } = await handle.write(batch)
    unwritten -= bytesWritten
    if (bytesWritten === batch.length) waiting.shift()
    else waiting[0] = batch.subarray(bytesWritten)
  }

  async function current(known: FileHandle | undefined): Promise<FileHandle> {
    if (known && (await isAt(known, path))) return known
    handle = undefined
    await known?.close()
    return open(path, FLAGS, 0o600)
  }

  async function finish(): Promise<void> {
    await writing
    // What an outage has left behind is tried once more.
    if (waiting.length > 0) await write()
    await handle?.close()
  }

  return Object.freeze<LineFile>({
    append,
    lost: () => lost,
    close() {
      closing ??= finish()
      return closing
    },
  })
}

async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  try {
    const [held, named] = await Promise.all([handle.stat(), stat(path)])
    return held.ino === named.ino && held.dev === named.dev
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
