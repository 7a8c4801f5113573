import type { Context } from 'hono'
import type { ServiceEnv } from './service-env.ts'

/**
 * Headers that belong on the answer whatever it will be: a JSON body, a stream, a proxied response, an error. Hono merges such headers into some
 * responses only; the Node response underneath takes them for all, and costs nothing. A header of the answer itself wins.
 */
export function setAnswerHeaders(c: Context<ServiceEnv>, headers: Readonly<Record<string, string>>): void {
  const outgoing = c.env?.outgoing
  if (outgoing) for (const name in headers) outgoing.setHeader(name, headers[name] ?? '')
  else c.set('answerHeaders', { ...c.get('answerHeaders'), ...headers })
}

/** Where no Node response is underneath, they are added when the answer is there. */
export function finishAnswerHeaders(c: Context<ServiceEnv>): void {
  for (const [name, value] of Object.entries(c.get('answerHeaders') ?? {})) {
    if (!c.res.headers.has(name)) c.header(name, value)
  }
}
