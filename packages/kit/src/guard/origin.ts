import { hostName, LOOPBACK_HOSTS } from './host.ts'

const ORIGIN_SHAPE = /^(https?):\/\/([^/?#@\\\s]+)$/

interface Origin {
  readonly host: string
  /** Host and port as they stand in a Host header. */
  readonly authority: string
  /** The whole, a scheme's own port left out. */
  readonly text: string
}

export type OriginGuard = (values: readonly string[], host: string) => boolean

/**
 * Says whether a request's Origin headers (raw, at least one) are allowed: one origin that is on loopback, or on the list, or the very host that
 * the request was sent to (whose name the Host guard has let pass).
 */
export function createOriginGuard(allowed: readonly string[]): OriginGuard {
  const listed = new Set(allowed.map(parseAllowedOrigin))
  return function isAllowedOrigin(values, host) {
    const [value] = values
    const origin = values.length === 1 && value !== undefined ? parseOrigin(value) : undefined
    if (!origin) return false
    return (
      LOOPBACK_HOSTS.includes(origin.host) ||
      origin.authority === host.toLowerCase() ||
      listed.has(origin.text)
    )
  }
}

/** Undefined for everything that is not scheme, host and perhaps port, `null` included. */
export function parseOrigin(value: string): Origin | undefined {
  const [, scheme, authority] = ORIGIN_SHAPE.exec(value.toLowerCase()) ?? []
  const host = authority === undefined ? undefined : hostName(authority)
  if (scheme === undefined || authority === undefined || host === undefined) return undefined
  return {
    host,
    authority,
    text: `${scheme}://${authority.replace(scheme === 'https' ? /:443$/ : /:80$/, '')}`,
  }
}

function parseAllowedOrigin(text: string): string {
  const origin = parseOrigin(text)
  if (!origin)
    throw new Error(
      `"${text}" is not an origin. Give scheme, host and port alone, such as "https://app.example.org".`,
    )
  return origin.text
}
