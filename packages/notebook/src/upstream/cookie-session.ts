import type { HeaderFields } from './access.ts'
import type { Answer } from './answer.ts'

/** The cookies of one login at one server. */
export interface CookieSession {
  /** `Cookie`, and `X-XSRFToken` where the method needs it, as the jar is at this moment: servers renew cookies. */
  headers(method: string, url: URL): HeaderFields
  absorb(answer: Answer, url: URL): void
  xsrf(url: URL): string | undefined
}

const XSRF_COOKIE = '_xsrf'
const MOST_COOKIES = 64

export async function createCookieSession(): Promise<CookieSession> {
  // Loaded on demand: most servers are used with a token, and start-up time counts.
  const { Cookie, CookieJar } = await import('tough-cookie')
  const jar = new CookieJar()
  const known = new Set<string>()

  function xsrf(url: URL): string | undefined {
    return jar.getCookiesSync(url).find((cookie) => cookie.key === XSRF_COOKIE)?.value
  }

  return Object.freeze({
    xsrf,
    headers(method: string, url: URL) {
      const cookies = jar.getCookieStringSync(url)
      const token = isWrite(method) ? xsrf(url) : undefined
      return { ...(cookies !== '' && { cookie: cookies }), ...(token && { 'x-xsrftoken': token }) }
    },
    absorb(answer: Answer, url: URL) {
      for (const text of answer.setCookies) {
        const cookie = Cookie.parse(text)
        if (!cookie) continue
        const name = `${cookie.domain} ${cookie.path} ${cookie.key}`
        if (!known.has(name) && known.size >= MOST_COOKIES) continue
        known.add(name)
        jar.setCookieSync(cookie, url, { ignoreError: true })
      }
    },
  })
}

export function isWrite(method: string): boolean {
  return method !== 'GET'
}
