import type { Era } from '@quire/mcp/connection/era'
import { type Reply, RpcFault } from '../rpc.ts'
import { modernFields } from './modern-result.ts'
import { INVALID_PARAMS } from './rpc-codes.ts'

export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

export interface ListRequest {
  readonly kind: ListKind
  readonly method: string
  readonly era: Era
  /** Whoever sees the same has the same key. */
  readonly viewKey: string
  readonly cursor: unknown
}

/** Lists as text, written once for everybody who sees the same. */
export interface Lists {
  /** The text is written anew where the list of entries is another one than last time. */
  read<Entry>(request: ListRequest, entries: readonly Entry[], toItem: (entry: Entry) => object): Reply
}

interface Written {
  readonly entries: readonly unknown[]
  readonly pages: readonly Buffer[]
}

const PAGE_SIZE = 1000
const MAX_WRITTEN = 32
const CURSOR = /^[1-9]\d{0,8}$/

export function createLists(options: { readonly pageSize?: number } = {}): Lists {
  const { pageSize = PAGE_SIZE } = options
  const written = new Map<string, Written>()

  function keep(key: string, value: Written): void {
    // The one that was read last is the last to go.
    written.delete(key)
    written.set(key, value)
    const [oldest] = written.keys()
    if (written.size > MAX_WRITTEN && oldest !== undefined) written.delete(oldest)
  }

  return Object.freeze({
    read(request, entries, toItem) {
      const { kind, era, viewKey, cursor } = request
      const index = toPageIndex(cursor)
      const key = `${kind} ${era} ${viewKey}`
      const known = written.get(key)
      const pages =
        known?.entries === entries ? known.pages : writePages(request, entries.map(toItem), pageSize)
      keep(key, { entries, pages })
      const page = pages[index]
      if (!page) throw badCursor()
      return { result: page, era }
    },
  } satisfies Lists)
}

function writePages({ kind, method, era }: ListRequest, items: readonly object[], size: number): Buffer[] {
  const fields = era === 'modern' ? `${modernFields(method)},` : ''
  const count = Math.max(1, Math.ceil(items.length / size))
  return Array.from({ length: count }, (_, index) => {
    const entries = items.slice(index * size, (index + 1) * size).map((item) => JSON.stringify(item))
    const next = index + 1 < count ? `,"nextCursor":"${toCursor(index + 1)}"` : ''
    return Buffer.from(`{${fields}"${kind}":[${entries.join(',')}]${next}}`)
  })
}

function toCursor(index: number): string {
  return Buffer.from(String(index)).toString('base64url')
}

function toPageIndex(cursor: unknown): number {
  if (cursor === undefined) return 0
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  if (!CURSOR.test(text) || toCursor(Number(text)) !== cursor) throw badCursor()
  return Number(text)
}

function badCursor(): RpcFault {
  return new RpcFault(
    INVALID_PARAMS,
    'The cursor is none of ours, or the list has become shorter. Begin again without a cursor.',
  )
}
