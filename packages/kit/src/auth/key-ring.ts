import { timingSafeEqual } from 'node:crypto'
import type { Principal, TokenVerifier } from './principal.ts'
import { digestOf, hashToken } from './token.ts'

/** A credential as it is stored: the hash, never the token. */
export interface Key {
  readonly hash: string
  readonly subject: string
  /** Absent: all scopes. */
  readonly scopes?: readonly string[]
  /** Milliseconds since the epoch; absent: never. */
  readonly expiresAt?: number
}

export interface KeyRing {
  readonly verify: TokenVerifier
  /**
   * Rotation and revocation: keys that are no longer in the list stop at once, and the streams they opened with them.
   * A key with another subject, other scopes or another end is another key; one that is as it was keeps its principal.
   */
  replace(keys: readonly Key[]): void
}

interface HeldKey {
  readonly key: Key
  readonly digest: Buffer
  readonly principal: Principal
  readonly revocation: AbortController
}

/** A list of hashed keys. Two keys of one subject may overlap, which is how a key is rotated without a gap. */
export function createKeyRing(initial: readonly Key[], now: () => number = Date.now): KeyRing {
  let held = hold(initial, new Map())

  return Object.freeze({
    verify(token: string) {
      const digest = digestOf(token)
      // The time of the lookup tells of the digest of a guess alone; what decides is compared in constant time.
      const found = held.get(digest.toString('hex'))
      if (!found || !timingSafeEqual(found.digest, digest)) return null
      if (found.key.expiresAt !== undefined && found.key.expiresAt <= now()) return null
      return found.principal
    },
    replace(keys: readonly Key[]) {
      const previous = held
      held = hold(keys, previous)
      for (const [hash, before] of previous) if (held.get(hash) !== before) before.revocation.abort()
    },
  })
}

/**
 * Plain tokens from the configuration, each a key of its own. What a subject owns is bound to its name, so the name comes from the token and
 * not from its place in the list: a token that is removed or replaced must not hand its things to another.
 */
export function keysFromTokens(tokens: readonly string[], name: string): readonly Key[] {
  return tokens.map((token) => {
    const hash = hashToken(token)
    return { hash, subject: `${name}-${hash.slice(0, 8)}` }
  })
}

function hold(keys: readonly Key[], previous: ReadonlyMap<string, HeldKey>): Map<string, HeldKey> {
  return new Map(keys.map((key) => [key.hash, holdOne(key, previous.get(key.hash))]))
}

function holdOne(key: Key, before: HeldKey | undefined): HeldKey {
  if (before && isSame(before.key, key)) return before
  const revocation = new AbortController()
  const principal: Principal = Object.freeze({
    subject: key.subject,
    ...(key.scopes && { scopes: new Set(key.scopes) }),
    revoked: revocation.signal,
  })
  return { key, digest: Buffer.from(key.hash, 'hex'), principal, revocation }
}

function isSame(before: Key, after: Key): boolean {
  return (
    before.subject === after.subject &&
    before.expiresAt === after.expiresAt &&
    isSameList(before.scopes, after.scopes)
  )
}

/** In whichever order. Absent is not the same as empty. */
function isSameList(before: readonly string[] | undefined, after: readonly string[] | undefined): boolean {
  if (!before || !after) return before === after
  return new Set(before).symmetricDifference(new Set(after)).size === 0
}
