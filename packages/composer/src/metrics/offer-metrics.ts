import type { Metrics } from '@quire/kit/metrics'
import type { ComposedCatalog, ToolEntry } from '../catalog/composed-catalog.ts'

export type OfferedCatalog = Pick<ComposedCatalog, 'tools' | 'prompts' | 'resources' | 'conflicts'>

/** How much there is to call, to ask for and to read. */
export function registerOfferMetrics(
  metrics: Metrics,
  catalog: OfferedCatalog,
  boundServer: (server: string) => string,
): void {
  const lists = {
    tools: () => withoutAliases(catalog.tools()),
    prompts: catalog.prompts,
    resources: catalog.resources,
  }
  for (const [kind, list] of Object.entries(lists)) {
    metrics.gauge({
      name: `mcp_${kind}_total`,
      help: `How many ${kind} all servers offer together.`,
      collect() {
        this.set(list().length)
      },
    })
    metrics.gauge({
      name: `mcp_${kind}_by_server`,
      help: `How many ${kind} each server offers.`,
      labelNames: ['server_id'],
      collect() {
        this.reset()
        for (const { server } of list()) this.inc({ server_id: boundServer(server) })
      },
    })
  }
  metrics.gauge({
    name: 'mcp_tool_conflicts_total',
    help: 'Names that more than one server wants.',
    collect() {
      this.set(catalog.conflicts().length)
    },
  })
}

/** How many tools there are: asked for every second by every page, and counted anew only when the list is another. */
export function countTools(catalog: Pick<OfferedCatalog, 'tools'>): () => number {
  let counted: readonly ToolEntry[] | undefined
  let total = 0
  return function toolsTotal() {
    const tools = catalog.tools()
    if (tools !== counted) total = withoutAliases(tools).length
    counted = tools
    return total
  }
}

function withoutAliases(tools: readonly ToolEntry[]): readonly ToolEntry[] {
  return [...new Map(tools.map((entry) => [entry.id, entry])).values()]
}
