import { randomBytes } from 'node:crypto'
import type { Output } from '../document/nbformat.ts'

const DEFAULT_KEPT_BYTES = 32 * 1024 * 1024

interface Kept {
  readonly owner: string
  readonly outputs: readonly Output[]
  readonly bytes: number
}

/** What an entry costs beside the texts in it: there is no getting round the bound with empty ones. */
const OVERHEAD = 256
const PER_VALUE = 16

/** The whole outputs of executions that no notebook holds, so that a reply that was cut can point at them. The oldest go first. */
export function createKeptOutputs({ maxBytes = DEFAULT_KEPT_BYTES }: { maxBytes?: number } = {}) {
  const entries = new Map<string, Kept>()
  let total = 0

  /** The id to find them by; undefined when they are too large to be kept at all. */
  function keep(owner: string, outputs: readonly Output[]): string | undefined {
    const bytes = OVERHEAD + owner.length + sizeOf(outputs)
    if (bytes > maxBytes) return undefined
    const id = randomBytes(16).toString('base64url')
    entries.set(id, { owner, outputs, bytes })
    total += bytes
    for (const [oldest, entry] of entries) {
      if (total <= maxBytes) break
      entries.delete(oldest)
      total -= entry.bytes
    }
    return id
  }

  /** Undefined for somebody else's too. */
  function find(owner: string, id: string): readonly Output[] | undefined {
    const entry = entries.get(id)
    return entry?.owner === owner ? entry.outputs : undefined
  }

  return Object.freeze({ keep, find })
}

export type KeptOutputs = ReturnType<typeof createKeptOutputs>

/** Roughly what it takes in memory. Walks without recursion: kernels may nest JSON as deep as they like. */
function sizeOf(value: unknown): number {
  const waiting = [value]
  let size = 0
  while (waiting.length > 0) {
    const item = waiting.pop()
    size += PER_VALUE
    if (typeof item === 'string') size += item.length * 2
    if (typeof item !== 'object' || item === null) continue
    for (const [key, child] of Object.entries(item)) {
      size += key.length * 2
      waiting.push(child)
    }
  }
  return size
}
