import { withOrigin } from '@quire/mcp/toolsets/tool-origin'
import type { ComposedCatalog, ToolEntry, View } from '../catalog/composed-catalog.ts'
import type { Reply } from '../rpc.ts'
import type { GatewayRequest } from './gateway.ts'
import { createLists, type ListKind } from './lists.ts'
import { SEARCH_TOOLS } from './search-tools.ts'

/** What all servers offer together, each entry as its server wrote it, under the name by which we know it. Tools also tell whose they are. */
export interface ComposedLists {
  list(kind: ListKind, request: GatewayRequest, view: View): Reply
  /** The tools of the search mode. */
  listSearch(request: GatewayRequest): Reply
}

export function createComposedLists(catalog: ComposedCatalog): ComposedLists {
  const lists = createLists()
  return Object.freeze({
    list(kind, { method, params, client }, view) {
      const request = { kind, method, era: client.era, viewKey: view.key, cursor: params.cursor }
      switch (kind) {
        case 'tools':
          return lists.read(request, catalog.tools(view), toTool)
        case 'prompts':
          return lists.read(request, catalog.prompts(view), renamed)
        case 'resources':
          return lists.read(request, catalog.resources(view), ({ item }) => item)
        case 'resourceTemplates':
          return lists.read(request, catalog.templates(view), ({ item }) => item)
      }
    },
    listSearch({ method, params, client }) {
      const request = { kind: 'tools', method, era: client.era, viewKey: '', cursor: params.cursor } as const
      return lists.read(request, SEARCH_TOOLS, (tool) => tool)
    },
  } satisfies ComposedLists)
}

/** Hosts of user interfaces need it: one of them may call the tools of its own server, by the names that these have there. */
function toTool({ item, name, server }: ToolEntry): object {
  return { ...withOrigin(item, { server, tool: item.name }), name }
}

function renamed({ item, name }: { readonly item: object; readonly name: string }): object {
  return { ...item, name }
}
