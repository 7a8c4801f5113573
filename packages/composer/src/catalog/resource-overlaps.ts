import type { Conflict } from './composed-catalog.ts'
import type { UriPattern } from './uri-template.ts'

/** What one server says of the resources that it has. */
export interface Reach {
  readonly server: string
  readonly uris: ReadonlySet<string>
  readonly templates: readonly { readonly uriTemplate: string; readonly pattern: UriPattern }[]
}

interface Claim {
  /** What all its addresses begin with. */
  readonly start: string
  /** As the server wrote it. */
  readonly written: string
  readonly server: string
}

type ByServer = ReadonlyMap<string, Claim>

interface Place {
  readonly start: string
  /** Templates that begin as it does, or with less. */
  readonly above: ByServer
}

/**
 * The servers, in the order of the configuration, of which a template begins as a template of another does, or as a resource of a later one.
 * One conflict for each two of them, with an example.
 */
export function findOverlaps(reaches: readonly Reach[]): readonly Conflict[] {
  const order = new Map(reaches.map(({ server }, index) => [server, index]))
  const found = new Map<string, Conflict>()
  const templates = groupByStart(reaches.flatMap(claimsByTemplate))
  if (templates.size === 0) return []
  const path: Place[] = []
  const addresses = groupByStart(reaches.flatMap(claimsByUri))
  // In this order whatever begins with a text follows right after it, so that one way down the path finds all.
  for (const start of [...new Set([...templates.keys(), ...addresses.keys()])].sort()) {
    while (path.length > 0 && !start.startsWith(path.at(-1)?.start ?? '')) path.pop()
    const above = path.at(-1)?.above ?? new Map<string, Claim>()
    const here = templates.get(start)
    const all = here ? new Map([...here, ...above]) : above
    for (const other of all.values()) {
      for (const claim of here?.values() ?? []) tell(claim, other)
      for (const claim of addresses.get(start)?.values() ?? []) if (isBefore(other, claim)) tell(other, claim)
    }
    if (here) path.push({ start, above: all })
  }
  return [...found.values()]

  function isBefore(one: Claim, other: Claim): boolean {
    return (order.get(one.server) ?? 0) < (order.get(other.server) ?? 0)
  }

  function tell(one: Claim, other: Claim): void {
    if (one.server === other.server || one.written === other.written) return
    const [owner, rival] = isBefore(one, other) ? [one, other] : [other, one]
    const servers = [owner.server, rival.server]
    const key = servers.join(' ')
    if (found.has(key)) return
    const resolution = `It overlaps "${owner.written}" of "${owner.server}", which comes first in the configuration and has every URI that fits both.`
    found.set(key, { type: 'resource', name: rival.written, servers, resolution })
  }
}

function claimsByTemplate({ server, templates }: Reach): readonly Claim[] {
  return templates.map(({ uriTemplate, pattern }) => ({
    start: pattern.prefix,
    written: uriTemplate,
    server,
  }))
}

function claimsByUri({ server, uris }: Reach): readonly Claim[] {
  return [...uris].map((uri) => ({ start: uri, written: uri, server }))
}

/** One of each server will do. */
function groupByStart(claims: readonly Claim[]): ReadonlyMap<string, ByServer> {
  const groups = new Map<string, Map<string, Claim>>()
  for (const claim of claims) {
    const group = groups.get(claim.start) ?? new Map<string, Claim>()
    if (!group.has(claim.server)) group.set(claim.server, claim)
    groups.set(claim.start, group)
  }
  return groups
}
