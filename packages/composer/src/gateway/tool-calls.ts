import { isRecord } from '@quire/mcp/json'
import type { AccessView } from '../access/access.ts'
import { createServerSight } from '../access/server-sight.ts'
import { blockedTool } from '../catalog/blocked-tool.ts'
import type { ComposedCatalog, ToolEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import type { Params, Reply } from '../rpc.ts'
import { serverNamedIn } from '../supervisor/server-named-in.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import { closeNames } from './close-names.ts'
import type { GatewayRequest } from './gateway.ts'
import type { ParamHeaders } from './param-headers.ts'
import type { ServerCalls } from './server-calls.ts'

export interface ToolCalls {
  /** Throws a `ComposerError` that lists close names where the caller sees no such tool. */
  find(name: string, view: AccessView): ToolEntry
  /** For a call: waits for the server that the name speaks of, or throws why it does not run, before it lists what is close. */
  awaitTool(name: string, view: AccessView, signal: AbortSignal): ToolEntry | Promise<ToolEntry>
  /** Calls it with the params of the request, under its server's own name. */
  call(entry: ToolEntry, request: GatewayRequest, params: Params): Promise<Reply>
  /** Throws a `ComposerError` that says what to do about a tool that is blocked. */
  checkTrust(entry: ToolEntry): void
}

export function createToolCalls(options: {
  readonly catalog: ComposedCatalog
  readonly supervisor: Pick<Supervisor, 'servers'>
  readonly serverCalls: ServerCalls
  readonly paramHeaders: ParamHeaders
}): ToolCalls {
  const { catalog, supervisor, serverCalls, paramHeaders } = options

  function find(name: string, view: AccessView): ToolEntry {
    const entry = catalog.findTool(name, view)
    if (entry) return entry
    throw new ComposerError('TOOL_NOT_FOUND', unknownTool(name, catalog.tools(view)))
  }

  async function findLater(name: string, view: AccessView, signal: AbortSignal): Promise<ToolEntry> {
    const server = serverNamedIn(supervisor, name)
    // Why a server does not run is for those alone who may use it, and nobody else starts it.
    if (server && createServerSight(catalog, { view }).sees(server.name)) await server.use(signal)
    return find(name, view)
  }

  return Object.freeze({
    find,
    // One that is there and not for this caller is no reason to start anything.
    awaitTool: (name, view, signal) =>
      catalog.findTool(name) ? find(name, view) : findLater(name, view, signal),
    call(entry, request, params) {
      const { server, id, item } = entry
      return serverCalls.call({
        server,
        target: id,
        request: { ...request, params: { ...params, name: item.name } },
        check() {
          checkTrust(entry)
          if (request.paramHeaders && isRecord(item.inputSchema))
            paramHeaders.check(item.inputSchema, params.arguments, request.paramHeaders)
        },
      })
    },
    checkTrust,
  } satisfies ToolCalls)
}

function checkTrust(entry: ToolEntry): void {
  if (entry.trust === 'blocked') throw blockedTool(entry)
}

function unknownTool(name: string, tools: readonly ToolEntry[]): string {
  const close = closeNames(
    name,
    tools.map((entry) => entry.name),
  )
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name
  return close.length > 0
    ? `There is no tool "${shown}". Close to it: ${close.join(', ')}.`
    : `There is no tool "${shown}". List the tools to see what there is.`
}

const MAX_SHOWN = 128
