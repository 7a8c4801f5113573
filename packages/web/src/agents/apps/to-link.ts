const LONGEST = 2_000
const WEB = /^https?:$/

/** Of an address that a stranger wants opened. */
export function toLink(address: unknown): URL {
  const link = typeof address === 'string' && address.length <= LONGEST ? URL.parse(address) : null
  if (!link || !WEB.test(link.protocol) || link.href.length > LONGEST)
    throw new Error(`Only addresses of the web, of at most ${LONGEST} characters, can be opened here.`)
  return link
}
