import { hash as hashOf } from 'node:crypto'
import { createKeptDefinitions, type DefinitionLimits } from './kept-definitions.ts'

/** Which definition of a tool, by its hash, was seen first or approved since. Ids are `server:tool`. */
export interface PinStore {
  get(id: string): string | undefined
  /** What was pinned, as canonical JSON, where it is kept. */
  definition(id: string): string | undefined
  /** At first sight. False where there is no room: of a pinned server nothing is forgotten for the sake of something new. */
  remember(id: string, hash: string, pinned: boolean): boolean
  /** Always kept: where there is no room, the oldest of the same server goes. */
  approve(id: string, hash: string): void
  /** Keeps the definition behind a pin, to be shown when another one comes. False where there is no room or no pin, or one is kept already. */
  keep(id: string, definition: string, pinned: boolean): boolean
}

export interface Pin {
  readonly hash: string
  readonly definition: string | undefined
}

export interface Pins extends PinStore {
  entries(): Iterable<readonly [id: string, pin: Pin]>
}

export interface PinsOptions {
  readonly known?: Iterable<readonly [id: string, hash: string]> | undefined
  /** Of those that are known; one that is not what was pinned is left out. */
  readonly definitions?: Iterable<readonly [id: string, definition: string]> | undefined
  readonly definitionLimits?: DefinitionLimits | undefined
  /** Of all servers together; what is not pinned takes half of it at the most. */
  readonly maxPins?: number | undefined
  readonly maxOfServer?: number | undefined
  /** Told once for each server. */
  readonly onFull?: ((server: string, pinned: boolean) => void) | undefined
}

const MAX_PINS = 50_000
const MAX_OF_SERVER = 5_000

/** No server can push out what is known of another, and none that is not pinned can take the room of those that are. */
export function createPins(options: PinsOptions = {}): Pins {
  const { maxPins = MAX_PINS, maxOfServer = MAX_OF_SERVER, onFull } = options
  /** By server, the oldest first. */
  const servers = new Map<string, Map<string, string>>()
  const definitions = createKeptDefinitions(options.definitionLimits)
  const told = new Set<string>()
  let size = 0
  for (const [id, hash] of options.known ?? []) put(id, hash)
  for (const [id, definition] of options.definitions ?? [])
    if (get(id) === hashOf('sha256', definition)) keep(id, definition, true)

  function get(id: string): string | undefined {
    return servers.get(serverIn(id))?.get(id)
  }

  function keep(id: string, definition: string, pinned: boolean): boolean {
    return get(id) !== undefined && definitions.add(serverIn(id), id, definition, pinned)
  }

  function pinsOf(id: string): Map<string, string> {
    const server = serverIn(id)
    const known = servers.get(server)
    if (known) return known
    const made = new Map<string, string>()
    servers.set(server, made)
    return made
  }

  function put(id: string, hash: string): void {
    const own = pinsOf(id)
    if (!own.has(id)) size += 1
    if (own.get(id) !== hash) definitions.remove(serverIn(id), id)
    own.set(id, hash)
  }

  function dropOldest(own: Map<string, string>): void {
    const [oldest] = own.keys()
    if (oldest === undefined) return
    own.delete(oldest)
    definitions.remove(serverIn(oldest), oldest)
    size -= 1
  }

  function tellFull(server: string, pinned: boolean): void {
    const key = `${server}:${pinned}`
    if (told.has(key)) return
    told.add(key)
    onFull?.(server, pinned)
  }

  return Object.freeze({
    get,
    definition: definitions.get,
    keep,
    remember(id, hash, pinned) {
      const own = pinsOf(id)
      const room = pinned ? maxPins : Math.floor(maxPins / 2)
      if (own.size >= maxOfServer || size >= room) {
        tellFull(serverIn(id), pinned)
        if (pinned || own.size === 0) return false
        dropOldest(own)
      }
      put(id, hash)
      return true
    },
    approve(id, hash) {
      const own = pinsOf(id)
      if (!own.has(id) && own.size >= maxOfServer) dropOldest(own)
      put(id, hash)
    },
    *entries() {
      for (const own of servers.values())
        for (const [id, hash] of own) yield [id, { hash, definition: definitions.get(id) }] as const
    },
  } satisfies Pins)
}

/** No name of a server holds a colon. */
function serverIn(id: string): string {
  const [server = ''] = id.split(':', 1)
  return server
}
