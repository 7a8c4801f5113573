import { type Access, type AccessRequest, type HeaderFields, isRefused } from './access.ts'
import type { Answer } from './answer.ts'
import type { CookieSession } from './cookie-session.ts'
import { waitFor } from './deadline.ts'

/** A session that is opened at first use, and once more when the server refuses it. */
export function createPasswordAccess(logIn: () => Promise<CookieSession>): Access {
  let current: CookieSession | undefined
  let login: Promise<CookieSession> | undefined

  /** Whoever needs a session shares the login that is under way. */
  function openSession(): Promise<CookieSession> {
    login ??= logIn()
      .then((session) => {
        current = session
        return session
      })
      .finally(() => {
        login = undefined
      })
    return login
  }

  /** Somebody else may have logged in anew while the refused request was on its way. */
  function replaceSession(refused: CookieSession): Promise<CookieSession> {
    return current !== undefined && current !== refused ? Promise.resolve(current) : openSession()
  }

  async function attemptWith<Result extends Answer>(
    session: CookieSession,
    { method, url }: AccessRequest,
    attempt: (headers: HeaderFields) => Promise<Result>,
  ): Promise<Result> {
    const answer = await attempt(session.headers(method, url))
    session.absorb(answer, url)
    return answer
  }

  return Object.freeze({
    refusal:
      'It was refused again right after a new login. Check that the password is that of this server and that it allows this request.',
    async perform<Result extends Answer>(
      request: AccessRequest,
      attempt: (headers: HeaderFields) => Promise<Result>,
    ) {
      const session = current ?? (await waitFor(openSession(), request.signal))
      const answer = await attemptWith(session, request, attempt)
      if (!isRefused(answer)) return answer
      return attemptWith(await waitFor(replaceSession(session), request.signal), request, attempt)
    },
  })
}
