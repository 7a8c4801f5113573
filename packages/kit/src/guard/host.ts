/** RFC 9110 §7.2, narrowed: a name, an IPv4 address or a bracketed IPv6 address, then perhaps a port. No userinfo, no escapes, no trailing dot. */
const AUTHORITY = /^((?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/i
const LONGEST_AUTHORITY = 255

export const LOOPBACK_HOSTS: readonly string[] = Object.freeze(['localhost', '127.0.0.1', '[::1]'])

/** The host's name in lower case, brackets kept, without its port; undefined when the text is no plain authority. */
export function hostName(text: string): string | undefined {
  if (text.length > LONGEST_AUTHORITY) return undefined
  const parts = AUTHORITY.exec(text)
  if (!parts || Number(parts[2] ?? 0) > 65_535) return undefined
  return parts[1]?.toLowerCase()
}

export type HostGuard = (values: readonly string[]) => boolean

/**
 * Says whether a request's Host headers (all of them, raw) name an allowed host, and exactly once.
 * `new URL('http://' + host)` is no such check: it reads `evil.example@localhost`, `0x7f000001` and `localhost#.evil.example` as loopback.
 */
export function createHostGuard(allowed: readonly string[]): HostGuard {
  const names = new Set(allowed.map(parseAllowedHost))
  return function isAllowedHost(values) {
    const [value] = values
    if (values.length !== 1 || value === undefined) return false
    const name = hostName(value)
    return name !== undefined && names.has(name)
  }
}

function parseAllowedHost(text: string): string {
  const name = hostName(
    text.includes(':') && !text.startsWith('[') && text.split(':').length > 2 ? `[${text}]` : text,
  )
  if (!name)
    throw new Error(
      `"${text}" is not a host name. Give a name or an address such as "notebooks.example.org", without scheme or path.`,
    )
  return name
}

export function isLoopbackHost(text: string): boolean {
  const bare = text.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare)
}
