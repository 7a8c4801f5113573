import { isRecord } from '@quire/mcp/json'
import { isSecretName } from './secrets.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

/** What of a server is no longer what the file gave its secrets to. */
export interface ServerMoves {
  readonly address: boolean
  readonly program: boolean
}

/** Where in a path the key of a server stands: `servers.proxied.sse[0].env`. */
export const SERVER_KEY = 4

const STAYS: ServerMoves = { address: false, program: false }
const PROGRAM_KEYS = ['command', 'working_dir', 'package']
const OF_PROGRAM: readonly unknown[] = ['command', 'working_dir', 'env']

/**
 * Compares a server that came over the API with the old one as `shown` to its caller, never with a secret of it: whoever may ask could guess.
 */
export function movesOf(
  next: TomlDocument,
  old: TomlDocument | undefined,
  shown: TomlDocument | undefined = old,
): ServerMoves {
  if (!old || !shown) return STAYS
  return {
    address: next.url !== shown.url && leadsElsewhere(next.url, old.url),
    program:
      PROGRAM_KEYS.some((key) => !isSame(next[key], shown[key])) || !isSame(steering(next), steering(shown)),
  }
}

/** Whether what stands at this key of the server must not go where the server is now. */
export function isWithheld({ address, program }: ServerMoves, key: unknown): boolean {
  // The program that serves an address has its environment from us, not from there.
  return program || (address && !OF_PROGRAM.includes(key))
}

/** What a variable says may begin or end the name of the host, so an address with one is compared by its words alone. */
function leadsElsewhere(next: unknown, old: unknown): boolean {
  if (typeof next !== 'string' || typeof old !== 'string') return true
  if (next.includes('$') || old.includes('$')) return true
  const origin = URL.parse(next)?.origin
  return origin === undefined || origin !== URL.parse(old)?.origin
}

/** Any variable may name the address that a program sends its secrets to, except for those that are secrets themselves. */
function steering({ env }: TomlDocument): unknown {
  const variables = Object.entries(isRecord(env) ? env : {}).filter(([name]) => !isSecretName(name))
  return variables.sort(([one], [other]) => (one < other ? -1 : 1))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
