import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { RawRequest } from '../guard/raw-request.ts'

export type ClientAddress = (raw: RawRequest, incoming: IncomingMessage | undefined) => string

/**
 * The address a request came from. `X-Forwarded-For` is believed only as far as the proxies in `trusted` (addresses or CIDR ranges) wrote it:
 * read from the right, the first address that is no trusted proxy is the client's. What is no address counts as the proxy's own.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = toBlockList(trusted)
  const isProxy = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return function clientAddress(raw, incoming) {
    const peer = plainAddress(incoming?.socket.remoteAddress ?? '')
    if (trusted.length === 0 || !isProxy(peer)) return peer
    const hops = raw
      .header('x-forwarded-for')
      .flatMap((value) => value.split(','))
      .map((hop) => plainAddress(hop.trim()))
    const client = hops.findLast((hop) => isIP(hop) === 0 || !isProxy(hop))
    return client !== undefined && isIP(client) !== 0 ? client : peer
  }
}

/** What is counted as one client: an IPv4 address, or the /64 that one IPv6 client has all to itself. */
export function addressRange(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const front = head.split(':').filter(Boolean)
  const back = tail?.split(':').filter(Boolean) ?? []
  const groups = [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** An address, or a range in CIDR notation. */
export function isProxyRange(entry: string): boolean {
  return parseRange(entry) !== undefined
}

function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const range = parseRange(entry)
    if (!range)
      throw new Error(
        `"${entry}" is no address of a proxy. Give an address or a range such as "127.0.0.1" or "10.0.0.0/8".`,
      )
    list.addSubnet(range.address, range.bits, range.family)
  }
  return list
}

function parseRange(entry: string) {
  const [address = '', size] = entry.split('/')
  const version = isIP(address)
  const most = version === 6 ? 128 : 32
  const bits = size === undefined ? most : Number(size)
  if (version === 0 || size === '' || !Number.isInteger(bits) || bits < 0 || bits > most) return undefined
  return { address, bits, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) }
}

/** Without a port, in the one spelling that the URL standard knows, and as IPv4 where it came through an IPv6 socket. */
function plainAddress(text: string): string {
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  if (isIP(address) !== 6) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  return mapped ?? URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address
}
