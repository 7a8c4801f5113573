import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client'
import type { Catalog } from '@quire/mcp/connection/catalog'
import type { ToolSettings } from '../config/config.ts'
import type { ServerDefinition } from '../server-definition.ts'

/** A tool, prompt, resource or template of one server, under the name by which everybody knows it. */
export interface Entry<Item> {
  readonly server: string
  /** As the server wrote it, its own name included. */
  readonly item: Item
}

export interface ToolEntry extends Entry<Tool> {
  /** Over REST: `server:tool`. */
  readonly id: string
  /** Over MCP: joined by the conflict strategy, `^[A-Za-z0-9_-]{1,64}$`; the id where the strategy offers it over REST alone. */
  readonly name: string
  /** Of its definition, canonical JSON. */
  readonly hash: string
  /** `changed`: another definition than the one first seen. `blocked`: its server is pinned, and it has changed or could not be remembered. */
  readonly trust: 'known' | 'changed' | 'blocked'
  /** Of one that is blocked: why. */
  readonly block?: 'changed' | 'unremembered'
  /** Of one that has changed: its definition as it was first seen or last approved, where there was room to keep it. Its keys are sorted. */
  readonly approved?: Tool
}

export interface PromptEntry extends Entry<Prompt> {
  readonly id: string
  readonly name: string
}

export type ResourceEntry = Entry<Resource>
export type TemplateEntry = Entry<ResourceTemplateType>

/** What one caller may see. The key names it: equal keys see the same. */
export interface View {
  readonly key: string
  allowsTool(entry: ToolEntry): boolean
  /** `server:name` of a prompt, `server:uri` of a resource or a template. */
  allows(id: string): boolean
}

export interface Conflict {
  /** What kind of thing two servers both offer. */
  readonly type: 'tool' | 'prompt' | 'resource'
  readonly name: string
  readonly servers: readonly string[]
  /** What came of it, in a sentence. */
  readonly resolution: string
}

export interface ToolQuery {
  readonly server?: string | undefined
  readonly search?: string | undefined
  readonly limit: number
  readonly offset: number
}

/** Everything that the running servers offer, as one. */
export interface ComposedCatalog {
  /** The strategy and the order of servers; names are made anew. */
  configure(settings: ToolSettings, definitions: readonly ServerDefinition[]): void
  /** What a server offers now; undefined when it offers nothing any more. */
  update(server: string, catalog: Catalog | undefined, serverVersion?: string): void
  /** What MCP clients are offered: aliases as tools of their own, no blocked tool, none that lost its name to another. */
  tools(view?: View): readonly ToolEntry[]
  /** By its name on MCP, an alias, or `server:tool`. */
  findTool(name: string, view?: View): ToolEntry | undefined
  /** Among all tools, each once, blocked ones too. Every word has to occur; matches by name come first. */
  search(query: ToolQuery, view?: View): { readonly tools: readonly ToolEntry[]; readonly total: number }
  prompts(view?: View): readonly PromptEntry[]
  findPrompt(name: string, view?: View): PromptEntry | undefined
  resources(view?: View): readonly ResourceEntry[]
  templates(view?: View): readonly TemplateEntry[]
  /**
   * Which server has the resource, or a template that it fits; the only server with resources where none is known to.
   * With a view undefined where that server's resource is not for the caller: no other server takes its place.
   */
  serverOf(uri: string, view?: View): string | undefined
  conflicts(): readonly Conflict[]
  /** Takes the definition with this hash for good; false when there is no such tool, or it has another definition by now. */
  approve(id: string, hash: string): boolean
}
