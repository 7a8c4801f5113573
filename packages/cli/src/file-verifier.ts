import { statSync } from 'node:fs'
import { createKeyRing, keysFromTokens } from '@quire/kit/auth/key-ring'
import type { TokenVerifier } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import { readToken } from './token-file.ts'

export interface FileVerifier {
  readonly verify: TokenVerifier
  close(): void
}

const LOOK_EVERY_MS = 1_000

/**
 * Accepts the token that the file holds now: a rotated one counts from the next request on, and streams opened with the old one end within a second.
 * While the file cannot be read, the last good token stands.
 */
export function createFileVerifier(path: string, logger: Logger): FileVerifier {
  let seen = ''
  const ring = createKeyRing([])

  function refresh(): void {
    const status = statSync(path, { throwIfNoEntry: false })
    const mark = status ? `${status.ino} ${status.mtimeMs} ${status.mode}` : ''
    if (mark === seen) return
    seen = mark
    try {
      const token = readToken(path)
      if (token) ring.replace(keysFromTokens([token], 'owner'))
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
