import type { Catalog } from '@quire/mcp/connection/catalog'
import type { Conflict, Entry, ResourceEntry, TemplateEntry } from './composed-catalog.ts'
import { findOverlaps, type Reach } from './resource-overlaps.ts'
import { parseUriTemplate } from './uri-template.ts'

export interface ResourceOwners {
  readonly resources: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
  readonly conflicts: readonly Conflict[]
  serverOf(uri: string): string | undefined
}

interface Offer {
  readonly name: string
  readonly catalog: Catalog
}

/** A template that begins as a URI does and still does not match costs time; this many of each server are tried. */
const MAX_TRIED = 100

/**
 * Resources keep their URIs: the first server, in the order of the configuration, that lists it or has a template for it has each.
 * However well a later one knows an address, it cannot take it.
 */
export function findResourceOwners(servers: readonly Offer[]): ResourceOwners {
  const resources = ownedBy(
    servers,
    ({ resources }) => resources,
    ({ uri }) => uri,
  )
  const templates = ownedBy(
    servers,
    ({ resourceTemplates }) => resourceTemplates,
    ({ uriTemplate }) => uriTemplate,
  )
  const reaches = servers.map(toReach)
  const withResources = new Set([...resources.entries, ...templates.entries].map(({ server }) => server))
  const [only] = withResources.size === 1 ? withResources : []

  return Object.freeze({
    resources: resources.entries,
    templates: templates.entries,
    conflicts: [...resources.conflicts, ...templates.conflicts, ...findOverlaps(reaches)],
    serverOf: (uri: string) => reaches.find((reach) => isWithin(reach, uri))?.server ?? only,
  })
}

function toReach({ name, catalog }: Offer): Reach {
  const templates = catalog.resourceTemplates.flatMap(({ uriTemplate }) => {
    const pattern = parseUriTemplate(uriTemplate)
    return pattern ? { uriTemplate, pattern } : []
  })
  // Those that know most of an address come first: they are the ones that are tried.
  templates.sort((one, other) => other.pattern.literalLength - one.pattern.literalLength)
  return { server: name, uris: new Set(catalog.resources.map(({ uri }) => uri)), templates }
}

function isWithin({ uris, templates }: Reach, uri: string): boolean {
  if (uris.has(uri)) return true
  let tried = 0
  for (const { pattern } of templates) {
    if (!uri.startsWith(pattern.prefix)) continue
    if (pattern.matches(uri)) return true
    tried += 1
    if (tried >= MAX_TRIED) return false
  }
  return false
}

function ownedBy<Item>(
  servers: readonly Offer[],
  listOf: (catalog: Catalog) => readonly Item[],
  keyOf: (item: Item) => string,
): { readonly entries: readonly Entry<Item>[]; readonly conflicts: readonly Conflict[] } {
  const owners = new Map<string, Entry<Item>>()
  const rivals = new Map<string, Set<string>>()
  for (const { name: server, catalog } of servers) {
    for (const item of listOf(catalog)) {
      const key = keyOf(item)
      const owner = owners.get(key)
      if (!owner) owners.set(key, Object.freeze({ server, item }))
      else if (owner.server !== server)
        rivals.set(key, (rivals.get(key) ?? new Set([owner.server])).add(server))
    }
  }
  const conflicts = [...rivals].map(([name, both]): Conflict => {
    const servers = [...both]
    const resolution = `"${servers[0]}" comes first in the configuration and has it; the others cannot be reached by this URI.`
    return { type: 'resource', name, servers, resolution }
  })
  return { entries: Object.freeze([...owners.values()]), conflicts }
}
