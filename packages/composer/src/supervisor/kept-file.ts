import type { Logger } from '@quire/kit/log'
import { replaceFile } from '../replace-file.ts'

export interface KeptFile {
  /** What the file should hold has changed. */
  changed(): void
  /** Resolves when the file holds it, or when that failed. */
  settled(): Promise<void>
}

export interface KeptFileOptions {
  readonly file: string
  readonly content: () => string
  readonly logger: Logger
}

/** A small file that follows a state of ours. It is always whole, the old or the new, and one write stands for all changes before it. */
export function createKeptFile({ file, content, logger }: KeptFileOptions): KeptFile {
  let isStale = false
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    while (isStale) {
      isStale = false
      try {
        await replaceFile(file, content())
      } catch (error) {
        logger.warn(
          { file, err: error },
          'a file could not be written; its content is lost with this process',
        )
      }
    }
    writing = undefined
  }

  return Object.freeze({
    changed(): void {
      isStale = true
      writing ??= write()
    },
    async settled(): Promise<void> {
      await writing
    },
  })
}
