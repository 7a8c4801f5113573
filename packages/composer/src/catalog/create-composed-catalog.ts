import type { Catalog } from '@quire/mcp/connection/catalog'
import type { ToolSettings } from '../config/config.ts'
import type { ServerDefinition } from '../server-definition.ts'
import { allowsUri } from './allows-uri.ts'
import { type Composition, compose } from './compose.ts'
import type { ComposedCatalog, View } from './composed-catalog.ts'
import { createPins, type PinStore } from './pins.ts'
import { type PreparedServer, prepareServer } from './prepare-server.ts'
import { searchTools } from './tool-search.ts'
import { createToolTrust, type ToolChange } from './tool-trust.ts'

export interface ComposedCatalogOptions {
  /** Absent: what was seen is forgotten with the process. */
  readonly pins?: PinStore | undefined
  /** Told once for each definition that a tool changes to. */
  readonly onToolChanged?: ((change: ToolChange) => void) | undefined
}

interface Offer {
  readonly catalog: Catalog
  readonly serverVersion: string | undefined
}

interface Seen extends Pick<Composition, 'tools' | 'offered' | 'prompts'> {
  readonly resources: Pick<Composition['resources'], 'resources' | 'templates'>
}

const MAX_VIEWS = 256

const UNCONFIGURED: ToolSettings = Object.freeze({
  strategy: 'prefix',
  overrides: [],
  template: '{server_name}__{tool_name}',
  aliases: {},
  versioning: { enabled: false, allowMultiple: false, suffix: '_v{version}' },
  mode: 'full',
})

export function createComposedCatalog(options: ComposedCatalogOptions = {}): ComposedCatalog {
  const trust = createToolTrust({
    pins: options.pins ?? createPins(),
    onToolChanged: options.onToolChanged ?? (() => undefined),
  })
  const offers = new Map<string, Offer>()
  const prepared = new Map<string, PreparedServer>()
  const views = new Map<string, Seen>()
  let settings = UNCONFIGURED
  let definitions: ReadonlyMap<string, ServerDefinition> = new Map()
  let composition: Composition | undefined

  /** Names are made for all servers at once, so they are made when somebody asks: a start of many servers is one making. */
  function composed(): Composition {
    composition ??= compose(
      settings,
      [...definitions.keys()].flatMap((name) => prepared.get(name) ?? []),
    )
    return composition
  }

  function prepare(server: string): void {
    const definition = definitions.get(server)
    const offer = offers.get(server)
    if (definition && offer) prepared.set(server, prepareServer({ definition, ...offer, trust }))
    else prepared.delete(server)
    composition = undefined
    views.clear()
  }

  function seenBy(view: View): Seen {
    const { tools, offered, prompts, resources } = composed()
    const known = views.get(view.key)
    if (known) return known
    const seen: Seen = {
      tools: tools.filter(({ entry }) => view.allowsTool(entry)),
      offered: Object.freeze(offered.filter((entry) => view.allowsTool(entry))),
      prompts: Object.freeze(prompts.filter(({ id }) => view.allows(id))),
      resources: {
        resources: Object.freeze(
          resources.resources.filter(({ server, item }) => allowsUri(view, server, item.uri)),
        ),
        templates: Object.freeze(
          resources.templates.filter(({ server, item }) => allowsUri(view, server, item.uriTemplate)),
        ),
      },
    }
    const [oldest] = views.keys()
    if (views.size >= MAX_VIEWS && oldest !== undefined) views.delete(oldest)
    views.set(view.key, seen)
    return seen
  }

  return Object.freeze({
    configure(nextSettings, nextDefinitions) {
      settings = nextSettings
      definitions = new Map(nextDefinitions.map((definition) => [definition.name, definition]))
      for (const server of offers.keys()) if (!definitions.has(server)) offers.delete(server)
      for (const server of new Set([...prepared.keys(), ...offers.keys()])) prepare(server)
      composition = undefined
      views.clear()
    },
    update(server, catalog, serverVersion) {
      if (catalog) offers.set(server, { catalog, serverVersion })
      else offers.delete(server)
      prepare(server)
    },
    tools: (view) => (view ? seenBy(view) : composed()).offered,
    findTool(name, view) {
      const entry = composed().toolByName.get(name)
      return entry && (!view || view.allowsTool(entry)) ? entry : undefined
    },
    search: (query, view) => searchTools((view ? seenBy(view) : composed()).tools, query),
    prompts: (view) => (view ? seenBy(view) : composed()).prompts,
    findPrompt(name, view) {
      const entry = composed().promptByName.get(name)
      return entry && (!view || view.allows(entry.id)) ? entry : undefined
    },
    resources: (view) => (view ? seenBy(view) : composed()).resources.resources,
    templates: (view) => (view ? seenBy(view) : composed()).resources.templates,
    serverOf(uri, view) {
      const server = composed().resources.serverOf(uri)
      return server !== undefined && (!view || allowsUri(view, server, uri)) ? server : undefined
    },
    conflicts: () => composed().conflicts,
    approve(id, hash) {
      const entry = composed().toolByName.get(id)
      if (entry?.hash !== hash) return false
      trust.approve(entry.id, entry.item, definitions.get(entry.server)?.pin ?? false)
      prepare(entry.server)
      return true
    },
  } satisfies ComposedCatalog)
}
