import { createHash } from 'node:crypto'
import { isRecord } from '../json.ts'

/**
 * A line of work, such as a conversation or the work of one member of a team. All of them call through one connection, so that a server
 * which keeps something for its client, such as a current notebook, can keep it apart by this.
 */
export interface Thread {
  readonly id: string
  /** Who is at work, as people know them. */
  readonly name?: string
}

const KEY = 'quire/thread'
const LONGEST_ID = 64
const LONGEST_NAME = 256

/** Servers learn which calls belong together and who makes them, and nothing else of the parts. */
export function toThread(parts: readonly string[], name?: string): Thread {
  const id = createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
  return { id, ...(name !== undefined && { name }) }
}

/** Goes with each call. */
export function threadMeta(thread: Thread | undefined): Readonly<Record<string, unknown>> {
  return thread === undefined ? {} : { [KEY]: thread }
}

export function threadOf(meta: unknown): Thread | undefined {
  const thread = isRecord(meta) ? meta[KEY] : undefined
  if (!isRecord(thread) || !isText(thread.id, LONGEST_ID)) return undefined
  return { id: thread.id, ...(isText(thread.name, LONGEST_NAME) && { name: thread.name }) }
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest
}
