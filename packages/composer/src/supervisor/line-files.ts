import { appendFile, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '@quire/kit/log'

export interface LineFiles {
  append(file: string, line: string): void
  /** Resolves when all that was appended so far is written, or could not be. */
  settled(): Promise<void>
}

export interface LineFilesOptions {
  readonly logger: Logger
  /** A file that would grow beyond this becomes `….1` first. */
  readonly maxBytes?: number | undefined
  /** What a slow disk may keep waiting, for each file; lines beyond it are counted and dropped. */
  readonly maxWaitingBytes?: number | undefined
}

interface Waiting {
  lines: string[]
  bytes: number
  dropped: number
  written: Promise<void>
}

const MAX_BYTES = 10 * 1024 * 1024
const MAX_WAITING_BYTES = 1024 * 1024

/** Appends lines to files, each in order, whoever writes to it. */
export function createLineFiles(options: LineFilesOptions): LineFiles {
  const { logger, maxBytes = MAX_BYTES, maxWaitingBytes = MAX_WAITING_BYTES } = options
  /** Only of files that are being written. */
  const files = new Map<string, Waiting>()
  /** Told once, not line by line. */
  const failing = new Set<string>()

  function append(file: string, line: string): void {
    let waiting = files.get(file)
    if (!waiting) {
      waiting = { lines: [], bytes: 0, dropped: 0, written: Promise.resolve() }
      files.set(file, waiting)
      waiting.written = write(file, waiting)
    }
    const bytes = Buffer.byteLength(line) + 1
    if (waiting.bytes + bytes > maxWaitingBytes) {
      waiting.dropped += 1
    } else {
      waiting.bytes += bytes
      waiting.lines.push(line)
    }
  }

  async function write(file: string, waiting: Waiting): Promise<void> {
    try {
      await mkdir(dirname(file), { recursive: true })
      while (waiting.lines.length > 0) {
        const text = toText(waiting)
        waiting.lines = []
        waiting.bytes = 0
        waiting.dropped = 0
        await rotate(file, Buffer.byteLength(text))
        await appendFile(file, text, { mode: 0o600 })
        failing.delete(file)
      }
    } catch (error) {
      if (!failing.has(file)) logger.warn({ file, err: error }, 'the log file of a server cannot be written')
      failing.add(file)
    } finally {
      files.delete(file)
    }
  }

  async function rotate(file: string, more: number): Promise<void> {
    const { size } = (await stat(file).catch(missing)) ?? { size: 0 }
    if (size > 0 && size + more > maxBytes) await rename(file, `${file}.1`)
  }

  return Object.freeze({
    append,
    async settled(): Promise<void> {
      await Promise.all([...files.values()].map(({ written }) => written))
    },
  })
}

function toText({ lines, dropped }: Waiting): string {
  const note = dropped > 0 ? [`… ${dropped} lines were dropped: the disk was too slow`] : []
  return `${[...lines, ...note].join('\n')}\n`
}

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
