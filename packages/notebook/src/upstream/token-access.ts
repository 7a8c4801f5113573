import type { Logger } from '@quire/kit/log'
import { ToolError } from '../tool-error.ts'
import { type Access, type HeaderFields, isRefused } from './access.ts'
import type { Answer } from './answer.ts'
import { waitFor } from './deadline.ts'

type Scheme = 'Bearer' | 'token'
type Attempt<Result> = (headers: HeaderFields) => Promise<Result>

/**
 * `Authorization: Bearer`, or `Authorization: token` for servers before 2.0, which know only that. A server refuses before it acts, so the same request can be tried with
 * the other scheme. Cookies are neither sent nor kept, and therefore no XSRF header is needed.
 */
export function createTokenAccess(token: string, logger: Logger): Access {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ToolError(
      'invalid_argument',
      'The token for the notebook server cannot be sent: it has spaces or characters beyond ASCII. Check that it was copied whole and without line breaks.',
    )
  }
  let scheme: Scheme = 'Bearer'
  let isProven = false
  let discovery: Promise<void> | undefined

  async function attemptBoth<Result extends Answer>(attempt: Attempt<Result>): Promise<Result> {
    const first = scheme
    const answer = await attempt({ authorization: `${first} ${token}` })
    if (!isRefused(answer)) {
      isProven ||= answer.status < 300
      return answer
    }
    const second = scheme === first ? otherThan(first) : scheme
    const last = await attempt({ authorization: `${second} ${token}` })
    if (!isRefused(last)) {
      if (scheme !== second) logger.debug({ scheme: second }, 'the notebook server knows another scheme')
      scheme = second
      isProven = true
    }
    return last
  }

  return Object.freeze({
    refusal:
      'The token was not accepted. Check that it is the token of this server and still valid; on a hub it must be an API token that has the scope access:servers.',
    async perform<Result extends Answer>({ signal }: { signal: AbortSignal }, attempt: Attempt<Result>) {
      if (isProven) return attemptBoth(attempt)
      // One request finds out, and the others wait for it.
      if (discovery) {
        await waitFor(discovery, signal)
        return attemptBoth(attempt)
      }
      const result = attemptBoth(attempt)
      const end = () => {
        discovery = undefined
      }
      discovery = result.then(end, end)
      return result
    },
  })
}

function otherThan(scheme: Scheme): Scheme {
  return scheme === 'Bearer' ? 'token' : 'Bearer'
}
