import { statSync } from 'node:fs'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import type { TokenVerifier } from '@quire/kit/auth/principal'
import { hashToken } from '@quire/kit/auth/token'
import type { Logger } from '@quire/kit/log'
import { readToken } from './token-file.ts'

export interface FileVerifier {
  readonly verify: TokenVerifier
  close(): void
}

/** Whoever holds the token of `quire up`, whichever token that is. */
export const OWNER = 'owner'

const LOOK_EVERY_MS = 1_000

/**
 * Accepts the token that the file holds now: a rotated one counts from the next request on, and streams opened with the old one end within a second.
 * While the file cannot be read, the last good token stands.
 */
export function createFileVerifier(path: string, logger: Logger): FileVerifier {
  let seen: string | undefined
  const ring = createKeyRing([])

  function refresh(): void {
    const mark = markOf(path)
    if (mark === seen) return
    seen = mark
    try {
      const token = readToken(path)
      if (token) ring.replace([{ hash: hashToken(token), subject: OWNER }])
      else
        logger.warn(
          { path },
          'the token file is gone; the token that was in it stays valid until Quire stops',
        )
    } catch (error) {
      logger.error(
        { err: error, path },
        'the token file changed but cannot be used; the token before it stays valid',
      )
    }
  }

  refresh()
  const timer = setInterval(refresh, LOOK_EVERY_MS).unref()
  return Object.freeze({
    verify(token: string) {
      refresh()
      return ring.verify(token)
    },
    close: () => clearInterval(timer),
  })
}

/** Changes with the file; what cannot be looked at has a mark as well, so that it is complained of once. */
function markOf(path: string): string {
  try {
    const status = statSync(path, { throwIfNoEntry: false })
    return status ? `${status.ino} ${status.mtimeMs} ${status.mode} ${status.uid}` : 'gone'
  } catch (error) {
    return String(error)
  }
}
