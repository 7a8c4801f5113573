export interface DefinitionLimits {
  /** Of all servers together; what is not pinned takes half of it at the most. */
  readonly maxBytes: number
  readonly maxOfServer: number
  readonly maxOne: number
}

/** Texts by id, for as long as there is room. */
export interface KeptDefinitions {
  get(id: string): string | undefined
  /** False where there is no room, or one is kept already. */
  add(server: string, id: string, text: string, pinned: boolean): boolean
  remove(server: string, id: string): void
}

const LIMITS: DefinitionLimits = Object.freeze({
  maxBytes: 8 * 1024 * 1024,
  maxOfServer: 1024 * 1024,
  maxOne: 64 * 1024,
})

/** Nothing is pushed out: whoever comes late is not shown, which is all that a definition is for. */
export function createKeptDefinitions(limits: DefinitionLimits = LIMITS): KeptDefinitions {
  const { maxBytes, maxOfServer, maxOne } = limits
  const texts = new Map<string, string>()
  const bytesOf = new Map<string, number>()
  let bytes = 0

  function count(server: string, change: number): void {
    const own = (bytesOf.get(server) ?? 0) + change
    bytes += change
    if (own === 0) bytesOf.delete(server)
    else bytesOf.set(server, own)
  }

  return Object.freeze({
    get: (id) => texts.get(id),
    add(server, id, text, pinned) {
      const size = Buffer.byteLength(text)
      const own = (bytesOf.get(server) ?? 0) + size
      const room = pinned ? maxBytes : Math.floor(maxBytes / 2)
      if (texts.has(id) || size > maxOne || own > maxOfServer || bytes + size > room) return false
      texts.set(id, text)
      count(server, size)
      return true
    },
    remove(server, id) {
      const text = texts.get(id)
      if (text !== undefined && texts.delete(id)) count(server, -Buffer.byteLength(text))
    },
  } satisfies KeptDefinitions)
}
