import type { Logger } from '../../log.ts'
import type { Authentication } from '../bearer.ts'
import { createKeyRing, type Key, keysFromTokens } from '../key-ring.ts'
import { anonymous, type Principal } from '../principal.ts'
import type { KeyStore } from './key-store.ts'

export interface Door {
  readonly authentication: Authentication
  /** Nobody is asked for a key: there never was one. */
  isOpen(): boolean
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

/**
 * Who is let in: keys of the configuration and keys that were issued. It follows what is issued and revoked, also by other processes. To revoke the last
 * key opens nothing: where keys were issued once, one is needed.
 */
export async function createDoor(keyStore: KeyStore, options: DoorOptions): Promise<Door> {
  const { realm, logger, now = Date.now } = options
  const configured = keysFromTokens(options.apiKeys, 'api-key')
  const ring = createKeyRing(configured, now)
  const opened = new AbortController()
  let isOpen = options.isAlwaysOpen || configured.length === 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isReading = false
  let isStale = false

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

  /** One reading at a time; what changes meanwhile is read once more. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    try {
      while (isStale && !isClosed) {
        isStale = false
        await read()
      }
    } catch (error) {
      if (isClosed) return
      logger.warn(
        { err: error },
        'the issued keys cannot be read; those that were known stand until they can',
      )
      readIn(RETRY_MS)
    } finally {
      isReading = false
    }
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
    authentication: Object.freeze({ verify: ring.verify, realm }),
    isOpen: () => isOpen,
    streamEnd: (principal: Principal) => (principal === anonymous ? opened.signal : undefined),
    close() {
      isClosed = true
      clearTimeout(timer)
      stopListening()
    },
  })
}
