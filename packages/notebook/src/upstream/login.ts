import { ToolError } from '../tool-error.ts'
import { toUrl } from './address.ts'
import type { Answer } from './answer.ts'
import { type Call, nameOf, statusOf } from './call.ts'
import { type CookieSession, createCookieSession } from './cookie-session.ts'
import type { Exchange } from './exchange.ts'
import { explainFailure, isLoginPage } from './failure.ts'
import { explainForeignLogin } from './redirect.ts'
import { whileFailing } from './while-failing.ts'

/** Reads the login page, posts the password, and sees whether the session is good for the API. */
export async function logIn(password: string, { base, callFor, visit }: Exchange): Promise<CookieSession> {
  const session = await createCookieSession()
  const loginUrl = toUrl(base, ['login'])
  const statusUrl = toUrl(base, ['api', 'status'])

  checkPage(...(await step('GET', loginUrl)))
  const form = new URLSearchParams({ password })
  const xsrf = session.xsrf(loginUrl)
  if (xsrf !== undefined) form.set('_xsrf', xsrf)
  checkLogin(...(await step('POST', loginUrl, form.toString())))
  await whileFailing(async () => checkStatus(...(await step('GET', statusUrl))))
  if (session.xsrf(statusUrl) === undefined) {
    throw new ToolError(
      'refused',
      `The login at ${base} worked but there is no _xsrf cookie afterwards, without which nothing can be written. Check whether a proxy in front of the server drops cookies, or use a token.`,
    )
  }
  return session

  async function step(method: 'GET' | 'POST', url: URL, body?: string): Promise<[Call, Answer]> {
    const call = callFor(method, url)
    const answer = await visit(call, {
      headers: {
        ...session.headers(method, url),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: body ?? null,
    })
    session.absorb(answer, url)
    return [call, answer]
  }
}

function checkPage(call: Call, answer: Answer): void {
  if (answer.status >= 500) throw explainFailure(call, answer, '')
  // A server without a password sends us back to its own start page: what it thinks of ours is seen next.
  refuseForeignLogin(call, answer)
  if (answer.status === 200 && !isLoginPage(answer.text)) {
    throw new ToolError(
      'refused',
      `${nameOf(call)} shows no password form: the login of this server is another one, such as single sign-on, which cannot be passed with a password. This is an authentication problem: use a token (on a hub, an API token that has the scope access:servers).`,
    )
  }
}

function checkLogin(call: Call, answer: Answer): void {
  const { status } = answer
  if (status >= 500) throw explainFailure(call, answer, '')
  if (status !== 200 && status !== 302) {
    const hint =
      status === 401
        ? 'The password may be incorrect.'
        : 'Check that this server has a password, and its address.'
    throw new ToolError(
      'refused',
      `The login failed with status ${status}: ${statusOf(call, answer)}. ${hint}`,
    )
  }
  refuseForeignLogin(call, answer)
}

function checkStatus(call: Call, answer: Answer): void {
  const { status } = answer
  if (status === 200) return
  if (status >= 500) throw explainFailure(call, answer, '')
  if (status === 401 || status === 403) {
    throw new ToolError(
      'refused',
      `The password may be incorrect: after the login ${statusOf(call, answer)}. A server of a hub takes no password: use an API token that has the scope access:servers.`,
    )
  }
  throw new ToolError(
    'refused',
    `Unexpected status ${status} after the login: ${explainFailure(call, answer, '').message}`,
  )
}

function refuseForeignLogin(call: Call, { location }: Answer): void {
  const failure = location === undefined ? undefined : explainForeignLogin(call, location)
  if (failure) throw failure
}
