import { createHash } from 'node:crypto'
import { CallerError } from '@quire/kit/errors'
import { type ContentsPort, type FileState, type FileVersion, versionOf } from '../document/contents-port.ts'
import { toNotebook } from '../document/read-notebook.ts'
import { toContent } from '../document/write-notebook.ts'
import { ToolError } from '../tool-error.ts'
import type { RoomFiles } from './room-host.ts'

const DEADLINE_MS = 30_000

/** The files behind the contents API. */
export function createRoomFiles(contents: ContentsPort): RoomFiles {
  const look = (path: string, content: boolean): Promise<FileState> =>
    contents.read(path, { content, signal: AbortSignal.timeout(DEADLINE_MS) })

  return Object.freeze({
    async read(path: string) {
      const state = await look(path, true).catch((error: unknown) => {
        throw isMissing(error) ? new CallerError('not_found', error.message, { cause: error }) : error
      })
      const text = JSON.stringify(state.content)
      return { text, hash: hashOf(text), stamp: stampOf(versionOf(state)) }
    },
    async write(path: string, text: string) {
      const notebook = toNotebook(JSON.parse(text))
      const signal = AbortSignal.timeout(DEADLINE_MS)
      const written = await contents.write(path, toContent(notebook, notebook), { signal })
      return { hash: hashOf(text), stamp: stampOf(written) }
    },
    async stamp(path: string) {
      try {
        const state = await look(path, false)
        if (state.type !== 'notebook') return undefined
        return stampOf(state) || stampOf(versionOf(await look(path, true)))
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
  })
}

/** Not every answer has the hash: where there is a time, that alone is told by all of them. */
function stampOf({ lastModified, hash }: FileVersion): string {
  return lastModified || (hash ?? '')
}

function isMissing(error: unknown): error is ToolError {
  return error instanceof ToolError && error.code === 'not_found'
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
