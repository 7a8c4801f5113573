import { isRecord } from '@quire/mcp/json'
import type { AccessView } from '../access/access.ts'
import type { ComposedCatalog, ToolEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import type { Params, Reply } from '../rpc.ts'
import type { GatewayRequest } from './gateway.ts'
import { toToolFailure, toToolReply } from './own-result.ts'
import type { ToolCalls } from './tool-calls.ts'
import { rankTools } from './tool-search.ts'

/** One of the three tools of the search mode; rejects with a `ComposerError` for the model to read. */
type SearchTool = (args: Params, request: GatewayRequest, view: AccessView) => Reply | Promise<Reply>

/** For clients whose models cannot read hundreds of definitions: three tools by which all others are found and called. */
export interface SearchMode {
  has(name: unknown): name is string
  call(name: string, request: GatewayRequest, view: AccessView): Promise<Reply>
}

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 50
const MAX_DESCRIPTION = 300

export function createSearchMode(options: {
  readonly catalog: ComposedCatalog
  readonly toolCalls: ToolCalls
}): SearchMode {
  const { catalog, toolCalls } = options
  const tools: ReadonlyMap<string, SearchTool> = new Map<string, SearchTool>([
    ['search_tools', searchTools],
    ['describe_tool', describeTool],
    ['call_tool', callTool],
  ])

  function searchTools(args: Params, { client }: GatewayRequest, view: AccessView): Reply {
    const { query, server, limit } = args
    if (typeof query !== 'string') throw badArguments('search_tools needs "query", a text.')
    const all = catalog.tools(view).filter((entry) => server === undefined || entry.server === server)
    const ranked = rankTools(query, all)
    const found = ranked.slice(0, toLimit(limit)).map(toFound)
    const lines = found.map(({ name, description }) => `${name}: ${description}`)
    const text = [`${found.length} of ${ranked.length} tools that match:`, ...lines].join('\n')
    const hint = `No tool matches, of ${all.length} that there are. Try other words.`
    return toToolReply(client.era, found.length > 0 ? text : hint, { tools: found, total: ranked.length })
  }

  function describeTool(args: Params, { client }: GatewayRequest, view: AccessView): Reply {
    const entry = toolCalls.find(readName('describe_tool', args), view)
    toolCalls.checkTrust(entry)
    const tool = { ...entry.item, name: entry.name }
    return toToolReply(client.era, JSON.stringify(tool, undefined, 2), { tool })
  }

  async function callTool(args: Params, request: GatewayRequest, view: AccessView): Promise<Reply> {
    const entry = await toolCalls.awaitTool(readName('call_tool', args), view, request.signal)
    const { arguments: given = {} } = args
    if (!isRecord(given)) throw badArguments('call_tool takes "arguments" as an object, not as text.')
    // Headers that mirror arguments are sent for tools that the client has listed, and it has not listed this one.
    const own = { ...request, paramHeaders: undefined }
    return toolCalls.call(entry, own, { ...request.params, arguments: given })
  }

  return Object.freeze({
    has: (name): name is string => typeof name === 'string' && tools.has(name),
    async call(name, request, view) {
      const { arguments: args } = request.params
      try {
        const tool = tools.get(name)
        if (!tool) throw badArguments(`There is no tool "${name}".`)
        return await tool(isRecord(args) ? args : {}, request, view)
      } catch (error) {
        // A model can only mend what it gets to see, and errors of the protocol are rarely shown to it.
        if (error instanceof ComposerError) return toToolFailure(request.client.era, error.message)
        throw error
      }
    },
  } satisfies SearchMode)
}

function toFound({ name, server, item }: ToolEntry) {
  const description = (item.description ?? '').replace(/\s+/g, ' ').trim()
  const isLong = description.length > MAX_DESCRIPTION
  return { name, server, description: isLong ? `${description.slice(0, MAX_DESCRIPTION - 1)}…` : description }
}

function toLimit(limit: unknown): number {
  return typeof limit === 'number' && limit >= 1 ? Math.min(MAX_LIMIT, Math.floor(limit)) : DEFAULT_LIMIT
}

function readName(tool: string, { name }: Params): string {
  if (typeof name === 'string') return name
  throw badArguments(`${tool} needs "name", the name of a tool that search_tools has returned.`)
}

function badArguments(message: string): ComposerError {
  return new ComposerError('VALIDATION_ERROR', message)
}
