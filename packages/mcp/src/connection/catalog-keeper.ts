import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client'
import type { Logger } from '@quire/kit/log'
import { CATALOG_KINDS, type Catalog, type CatalogKind, EMPTY_CATALOG, listAll } from './catalog.ts'

export interface CatalogKeeper {
  current(): Catalog
  /** The tool of that name, if it wants arguments in HTTP headers (protocol revision 2026-07-28). */
  headerTool(name: string): Tool | undefined
  /** Fails when the tools cannot be listed; a server that breaks on the other lists is still of use. */
  load(): Promise<void>
  /** Reads every list again, in the background. */
  refresh(): void
}

export interface CatalogKeeperOptions {
  readonly request: RequestOptions
  readonly logger: Logger
  readonly onChange: (kind: CatalogKind) => void
}

/** The lists of one server, read again whenever it says that they changed. To be made before the client connects. */
export function keepCatalog(
  client: Client,
  { request, logger, onChange }: CatalogKeeperOptions,
): CatalogKeeper {
  let catalog: Catalog = EMPTY_CATALOG
  let headerTools: ReadonlyMap<string, Tool> = new Map()
  let loaded = false
  const running = new Set<CatalogKind>()
  const stale = new Set<CatalogKind>()

  client.setNotificationHandler('notifications/tools/list_changed', () => refresh('tools'))
  client.setNotificationHandler('notifications/prompts/list_changed', () => refresh('prompts'))
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    refresh('resources')
    refresh('resourceTemplates')
  })

  async function read(kind: CatalogKind): Promise<void> {
    const list = kind === 'tools' ? await readTools() : await listAll(client, kind, request)
    catalog = Object.freeze({ ...catalog, [kind]: list })
  }

  async function readTools(): Promise<readonly Tool[]> {
    const tools = await listAll(client, 'tools', request)
    const declared = client.getProtocolEra() === 'modern' ? tools.filter(declaresHeaders) : []
    headerTools = new Map(declared.map((tool) => [tool.name, tool]))
    if (declared.length === 0) return tools
    // Which of these may be used at all is for the protocol's rules to say, and the SDK's own listing knows them.
    const { tools: valid } = await client.listTools(undefined, { ...request, cacheMode: 'refresh' })
    const names = new Set(valid.map(({ name }) => name))
    return Object.freeze(tools.filter(({ name }) => names.has(name)))
  }

  /** One reading at a time for each list; what changes meanwhile is read once more. */
  function refresh(kind: CatalogKind): void {
    stale.add(kind)
    if (!loaded || running.has(kind)) return
    running.add(kind)
    void readUntilCurrent(kind).finally(() => running.delete(kind))
  }

  async function readUntilCurrent(kind: CatalogKind): Promise<void> {
    while (stale.delete(kind)) {
      try {
        await read(kind)
        onChange(kind)
      } catch (error) {
        logger.warn({ err: error, kind }, 'a changed list could not be read; the last one stays')
      }
    }
  }

  return Object.freeze({
    current: () => catalog,
    headerTool: (name: string) => headerTools.get(name),
    async load(): Promise<void> {
      const others = CATALOG_KINDS.filter((kind) => kind !== 'tools').map((kind) =>
        read(kind).catch((error: unknown) => logger.warn({ err: error, kind }, 'a list could not be read')),
      )
      await Promise.all([read('tools'), ...others])
      loaded = true
      for (const kind of stale) refresh(kind)
    },
    refresh: () => CATALOG_KINDS.forEach(refresh),
  })
}

function declaresHeaders(tool: Tool): boolean {
  return JSON.stringify(tool.inputSchema ?? {}).includes('"x-mcp-header"')
}
