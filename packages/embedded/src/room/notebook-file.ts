import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { CallerError } from '@quire/kit/errors'
import { codeOf, type Folder, notFound } from '../folder/folder.ts'
import type { WriteFile } from '../folder/write-file.ts'

const LARGEST_FILE = 256 * 1024 * 1024

/** A file as it was read or written. */
export interface FileState {
  readonly hash: string
  /** Differs whenever the file may have changed. */
  readonly stamp: string
}

export interface NotebookFiles {
  read(path: string): Promise<FileState & { readonly text: string }>
  write(path: string, text: string): Promise<FileState>
  /** Undefined where there is none. */
  stamp(path: string): Promise<string | undefined>
}

export function createNotebookFiles(folder: Folder, writeFile: WriteFile): NotebookFiles {
  return Object.freeze({
    async read(path: string) {
      const bytes = await readBounded(await folder.find(path), path)
      return { text: bytes.data.toString('utf8'), hash: hashOf(bytes.data), stamp: stampOf(bytes.stats) }
    },
    async write(path: string, text: string) {
      const target = await folder.place(path)
      await writeFile(target, text)
      return { hash: hashOf(text), stamp: stampOf(await stat(target)) }
    },
    async stamp(path: string) {
      try {
        return stampOf(await stat(await folder.find(path)))
      } catch (error) {
        if (codeOf(error) === 'ENOENT' || error instanceof CallerError) return undefined
        throw error
      }
    },
  })
}

/** From a path that was looked at: if it has become a link since then, it is not followed. */
export async function readBounded(target: string, path: string): Promise<{ data: Buffer; stats: Stats }> {
  let handle: Awaited<ReturnType<typeof open>>
  try {
    // Without O_NONBLOCK a pipe would be waited for.
    handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'EACCES' || code === 'ENXIO') throw notFound(path)
    throw error
  }
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw notFound(path)
    if (stats.size > LARGEST_FILE)
      throw new CallerError('body_size', `${path} has ${stats.size} bytes, more than is served.`, {
        status: 400,
      })
    return { data: await handle.readFile(), stats }
  } finally {
    await handle.close()
  }
}

export function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(':')
}
