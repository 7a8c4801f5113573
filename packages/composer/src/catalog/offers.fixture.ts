import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client'
import { type Catalog, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import type { ToolSettings } from '../config/config.ts'
import { PLAIN_DEFINITION } from '../plain-definition.ts'
import type { StdioDefinition } from '../server-definition.ts'
import type { ComposedCatalog, ToolEntry } from './composed-catalog.ts'
import { type ComposedCatalogOptions, createComposedCatalog } from './create-composed-catalog.ts'

export function define(name: string, more: Partial<StdioDefinition> = {}): StdioDefinition {
  return {
    name,
    transport: 'stdio',
    command: ['true'],
    env: {},
    workingDir: undefined,
    maxMemoryBytes: undefined,
    logStderr: true,
    logFile: undefined,
    ...PLAIN_DEFINITION,
    autoStart: true,
    readyMs: 1_000,
    restart: { ...PLAIN_DEFINITION.restart, policy: 'never' },
    limits: { ...PLAIN_DEFINITION.limits, timeoutMs: 1_000, maxTotalMs: 1_000, inFlight: 1, queued: 1 },
    ...more,
  }
}

export function settings(more: Partial<ToolSettings> = {}): ToolSettings {
  return {
    strategy: 'prefix',
    overrides: [],
    template: '{server_name}_{tool_name}',
    aliases: {},
    versioning: { enabled: false, allowMultiple: false, suffix: '_v{version}' },
    mode: 'full',
    ...more,
  }
}

export function tool(name: string, description = `Does ${name}.`): Tool {
  return { name, description, inputSchema: { type: 'object' } }
}

export const prompt = (name: string): Prompt => ({ name })
export const resource = (uri: string): Resource => ({ uri, name: uri })
export const template = (uriTemplate: string): ResourceTemplateType => ({ uriTemplate, name: uriTemplate })

export function offer(lists: Partial<Catalog>): Catalog {
  return { ...EMPTY_CATALOG, ...lists }
}

/** Tools by server, which come in this order and are configured in it. */
export function catalogOf(
  servers: Readonly<Record<string, readonly (string | Tool)[]>>,
  toolSettings: Partial<ToolSettings> = {},
  options: ComposedCatalogOptions = {},
): ComposedCatalog {
  const catalog = createComposedCatalog(options)
  catalog.configure(
    settings(toolSettings),
    Object.keys(servers).map((name) => define(name)),
  )
  for (const [name, tools] of Object.entries(servers))
    catalog.update(name, offer({ tools: tools.map(toTool) }))
  return catalog
}

const toTool = (given: string | Tool): Tool => (typeof given === 'string' ? tool(given) : given)

/** What MCP clients see, as `name = id`. */
export function namesOf(catalog: ComposedCatalog): readonly string[] {
  return catalog.tools().map(({ name, id }) => `${name} = ${id}`)
}

export const idsOf = (entries: readonly ToolEntry[]): readonly string[] => entries.map(({ id }) => id)

/** Numbers below a bound, the same for the same seed. */
export function createDice(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}
