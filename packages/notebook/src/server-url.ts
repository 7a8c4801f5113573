import { z } from 'zod'

const LONGEST_URL = 2048

/** The address of a notebook server as it is configured: with its path prefix, without a slash at its end, and without credentials. */
export const ServerUrl = z
  .string()
  .max(LONGEST_URL, `must not be longer than ${LONGEST_URL} characters`)
  .superRefine((text, context) => {
    const fault = faultIn(text)
    if (fault) context.addIssue(fault)
  })
  .transform(withoutEndSlash)

function faultIn(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'must be an http or https address, such as http://localhost:8888'
  if (url.username || url.password)
    return 'must not hold a name or a password: they end up in logs, and there are settings for them'
  if (url.search || url.hash)
    return 'must be the address of the server alone, without "?" or "#": a token goes into a setting of its own, such as NOTEBOOK_TOKEN'
  return undefined
}

function withoutEndSlash(text: string): string {
  const { origin, pathname } = new URL(text)
  return origin + pathname.replace(/\/+$/, '')
}
