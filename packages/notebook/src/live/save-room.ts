import { setTimeout as delay } from 'node:timers/promises'
import type { ContentsPort } from '../document/contents-port.ts'
import type { Snapshot } from '../document/document.ts'
import { quote } from '../document/json.ts'
import { toNotebook } from '../document/read-notebook.ts'
import { isSameNotebook } from '../document/same-notebook.ts'
import { ToolError } from '../tool-error.ts'
import type { LiveRoom } from './open-live-room.ts'

export interface SaveOptions {
  readonly path: string
  readonly contents: ContentsPort
  /** How long a server that answers requests to save may take to do so. */
  readonly replyMs?: number
  readonly timeoutMs?: number
}

/** No longer than it takes a server that does not answer to write by itself. */
const REPLY_MS = 1_000
const TIMEOUT_MS = 10_000
const LOOK_EVERY_MS = 250

/** Has the server write the file. Servers that do not answer the request write by themselves soon after an edit: then the file is looked at. */
export async function saveRoom(
  room: LiveRoom,
  { path, contents, replyMs = REPLY_MS, timeoutMs = TIMEOUT_MS }: SaveOptions,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const deadline = performance.now() + timeoutMs
  await room.confirm()
  const snapshot = room.reader.snapshot()
  const status = await room.save(replyMs)
  if (status === 'failed')
    throw notSaved(path, 'The notebook server answered that it could not write the file')
  if (status !== undefined) return snapshot
  do {
    const { content } = await contents.read(path, { content: true, signal })
    // Whatever others have done meanwhile is to be in the file as well.
    const latest = room.reader.snapshot()
    if (isSameNotebook(toNotebook(content), latest.notebook)) return latest
    await delay(LOOK_EVERY_MS, undefined, { signal })
  } while (performance.now() < deadline)
  throw notSaved(path, `The notebook server has not written the file within ${timeoutMs / 1000} s`)
}

function notSaved(path: string, what: string): ToolError {
  return new ToolError(
    'failing',
    `${what}: the latest edits of ${quote(path)} are in the live document only. Check the disk and the log of the notebook server, then save again.`,
  )
}
