import { ToolError } from '../tool-error.ts'
import { showUrl } from './address.ts'
import { type Call, nameOf } from './call.ts'

export const WHAT_TO_DO =
  'check the token or the password. On a hub, use an API token that has the scope access:servers; single sign-on pages cannot be passed with a password.'

const LOGIN_PATH =
  /\/(?:login|logon|signin|sign_in|sign-in|sso|saml2?|oauth2?|oauth_login|authorize|auth|idp)(?:\/|$)/i

/** Redirects are never followed: credentials belong to the address they were configured with. This says what the redirect means. */
export function explainRedirect(call: Call, location: string | undefined): ToolError {
  const target = location === undefined ? null : URL.parse(location, call.url.href)
  if (!target) {
    return new ToolError(
      'failing',
      `${nameOf(call)} answered with a redirect that leads nowhere. Check whether the address is that of a notebook server.`,
    )
  }
  const redirected = `${nameOf(call)} was redirected to ${call.quote(showUrl(target))}`
  if (target.pathname.includes('/hub/user/')) return explainStoppedServer(call)
  if (isSecured(call.url, target)) {
    return new ToolError('unreachable', `${redirected}: configure the address with https instead of http.`)
  }
  if (LOGIN_PATH.test(target.pathname)) {
    return new ToolError(
      'refused',
      `${redirected}, a login page. This is an authentication problem: ${WHAT_TO_DO}`,
    )
  }
  if (target.origin === call.url.origin) {
    return new ToolError(
      'unreachable',
      `${redirected}, and redirects are not followed. Configure the address that it leads to, up to the part before /api.`,
    )
  }
  return new ToolError(
    'refused',
    `${redirected}, which is another origin. Redirects are not followed and credentials are not sent there. If that is a single sign-on page, this is an authentication problem: ${WHAT_TO_DO} If the notebook server itself is there, configure that address.`,
  )
}

/** A login that sends us away is none that a password can pass. */
export function explainForeignLogin(call: Call, location: string): ToolError | undefined {
  const target = URL.parse(location, call.url.href)
  const staysHere = target && `${target.href}/`.startsWith(`${call.base}/`)
  if (staysHere && !LOGIN_PATH.test(target.pathname)) return undefined
  if (!target || target.pathname.includes('/hub/user/') || isSecured(call.url, target)) {
    return explainRedirect(call, location)
  }
  return new ToolError(
    'refused',
    `${nameOf(call)} was redirected to ${call.quote(showUrl(target))}: the login of this server is elsewhere, and single sign-on cannot be passed with a password. This is an authentication problem: use a token (on a hub, an API token that has the scope access:servers).`,
  )
}

/** A hub answers for a user's server that does not run. */
export function explainStoppedServer(call: Call): ToolError {
  const [, prefix = '', user = 'NAME'] = /^(.*)\/user\/([^/]+)/.exec(new URL(call.base).pathname) ?? []
  const hub = `${call.url.origin}${prefix}/hub`
  return new ToolError(
    'unreachable',
    `The notebook server at ${call.base} is not running: its hub answered in its place. Start it by opening ${hub}/home in a browser, or with POST ${hub}/api/users/${user}/server, and try again.`,
  )
}

function isSecured(from: URL, to: URL): boolean {
  return (
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    to.hostname === from.hostname &&
    to.pathname === from.pathname
  )
}
