import type { Logger } from '@quire/kit/log'
import { type Access, type AccessRequest, type HeaderFields, isRefused } from './access.ts'
import type { Answer } from './answer.ts'
import { type CookieSession, createCookieSession, isWrite } from './cookie-session.ts'
import { waitFor } from './deadline.ts'

/** No credentials. A server that is open still wants an `_xsrf` cookie for writes; `visit` gets a page that sets one. */
export function createOpenAccess(visit: (session: CookieSession) => Promise<void>, logger: Logger): Access {
  let session: Promise<CookieSession> | undefined
  let visited: Promise<void> | undefined
  let visiting: Promise<void> | undefined

  /** Never rejects: a server that checks no XSRF needs no cookie. */
  function fetchCookie(of: CookieSession): Promise<void> {
    visiting ??= visit(of)
      .catch((error: unknown) => logger.warn({ err: error }, 'no _xsrf cookie from the notebook server'))
      .finally(() => {
        visiting = undefined
      })
    return visiting
  }

  return Object.freeze({
    refusal:
      'The server wants credentials and none are configured: give its token (NOTEBOOK_TOKEN) or its password (NOTEBOOK_PASSWORD) (on a hub, an API token that has the scope access:servers).',
    async perform<Result extends Answer>(
      { method, url, signal }: AccessRequest,
      attempt: (headers: HeaderFields) => Promise<Result>,
    ) {
      session ??= createCookieSession()
      const cookies = await session
      if (isWrite(method)) {
        visited ??= fetchCookie(cookies)
        await waitFor(visited, signal)
      }
      const answer = await attempt(cookies.headers(method, url))
      cookies.absorb(answer, url)
      if (!isRefused(answer) || !/xsrf/i.test(answer.text)) return answer
      await waitFor(fetchCookie(cookies), signal)
      const last = await attempt(cookies.headers(method, url))
      cookies.absorb(last, url)
      return last
    },
  })
}
