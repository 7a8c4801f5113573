import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../log.ts'
import type { Authentication } from '../bearer.ts'
import { createKeyRing, type Key, keysFromTokens } from '../key-ring.ts'
import { anonymous, type Principal, type TokenVerifier } from '../principal.ts'
import { isOwnToken } from '../token.ts'
import type { KeyStore } from './key-store.ts'

export interface Door {
  readonly authentication: Authentication
  /** Nobody is asked for a key: there never was one, as far as was read. */
  isOpen(): boolean
  /** The same, of a moment ago: a key that was issued before that counts, in whichever process. What is known stands where the database does not answer. */
  isStillOpen(): Promise<boolean>
  /** Ends the streams of those who came while it was open, once it is not. */
  streamEnd(principal: Principal): AbortSignal | undefined
  close(): void
}

export interface DoorOptions {
  /** Of the challenge, for those who bring no key. */
  readonly realm: string
  /** Of the configuration, beside those that were issued. */
  readonly apiKeys: readonly string[]
  /** Whatever keys there are, nobody is asked. */
  readonly isAlwaysOpen: boolean
  readonly logger: Logger
  readonly now?: () => number
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** After a database that did not answer. */
const RETRY_MS = 1_000
/** Between two readings for tokens that are not known: they may be wrong, and many. */
const PAUSE_MS = 100
/** Of an open door under load: no request costs a reading of its own. */
const FRESH_MS = 50
/** So long a request at an open door waits for the database. */
const PATIENCE_MS = 1_000

/**
 * Who is let in: keys of the configuration and keys that were issued. It follows what is issued and revoked, also by other processes, and looks itself
 * before it refuses a key that it does not know. To revoke the last key opens nothing: where keys were issued once, one is needed.
 */
export async function createDoor(keyStore: KeyStore, options: DoorOptions): Promise<Door> {
  const { realm, logger, now = Date.now } = options
  const configured = keysFromTokens(options.apiKeys, 'api-key')
  const ring = createKeyRing(configured, now)
  const opened = new AbortController()
  let isOpen = options.isAlwaysOpen || configured.length === 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let reading: Promise<void> | undefined
  let nextReading: Promise<void> | undefined
  let readAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    const issued = await keyStore.list()
    const usable = issued
      .filter(({ revokedAt }) => revokedAt === undefined)
      .map(
        ({ hash, name, scopes, expiresAt }): Key => ({
          hash,
          subject: `key:${name}`,
          ...(scopes && { scopes }),
          ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
        }),
      )
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > now())
    ring.replace([...configured, ...usable])
    // Streams of a key end with its time, too.
    const next = Math.min(...usable.map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt))
    if (Number.isFinite(next)) readIn(next - now())
    if (isOpen && issued.length > 0 && !options.isAlwaysOpen) {
      isOpen = false
      opened.abort()
    }
  }

  /** A reading that has not begun yet, shared by all who ask before it does. One at a time. */
  function readAfresh(): Promise<void> {
    nextReading ??= readNext()
    return nextReading
  }

  async function readNext(): Promise<void> {
    // Its failure is told to those who asked for it.
    await reading?.catch(() => undefined)
    const waitMs = isOpen ? 0 : readAt + PAUSE_MS - performance.now()
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false })
    nextReading = undefined
    if (isClosed) return
    readAt = performance.now()
    reading = read()
    try {
      await reading
    } finally {
      reading = undefined
    }
  }

  async function refresh(): Promise<void> {
    try {
      await readAfresh()
    } catch (error) {
      if (isClosed) return
      logger.warn(
        { err: error },
        'the issued keys cannot be read; those that were known stand until they can',
      )
      readIn(RETRY_MS)
    }
  }

  /** A key that was issued a moment ago is as good as an old one. */
  function verify(token: string): ReturnType<TokenVerifier> {
    const known = ring.verify(token)
    if (known !== null || !isOwnToken(token)) return known
    return readAfresh().then(() => ring.verify(token))
  }

  async function isStillOpen(): Promise<boolean> {
    const isFresh = performance.now() - readAt < FRESH_MS && reading === undefined
    if (isOpen && !options.isAlwaysOpen && !isFresh) await within(readAfresh(), PATIENCE_MS)
    return isOpen
  }

  function readIn(delayMs: number): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(refresh, Math.min(Math.max(1, delayMs), LONGEST_TIMER_MS)).unref()
  }

  await read()
  const stopListening = keyStore.onChange(refresh)
  // What was changed between the two.
  void refresh()

  return Object.freeze({
    authentication: Object.freeze({ verify, realm }),
    isOpen: () => isOpen,
    isStillOpen,
    streamEnd: (principal: Principal) => (principal === anonymous ? opened.signal : undefined),
    close() {
      isClosed = true
      clearTimeout(timer)
      stopListening()
    },
  })
}

/** Or until it has failed: whoever waits goes on with what is known. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  const waiting = new AbortController()
  const late = delay(ms, undefined, { signal: waiting.signal })
  try {
    await Promise.race([work, late])
  } catch {
    // A request that needs the database will say so itself.
  } finally {
    waiting.abort()
  }
}
