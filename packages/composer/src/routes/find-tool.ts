import type { Principal } from '@quire/kit/auth/principal'
import { createServerSight } from '../access/server-sight.ts'
import type { ToolEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import { closeNames } from '../gateway/close-names.ts'
import { serverNamedIn } from '../supervisor/server-named-in.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { listNames, quoteName } from './known-names.ts'
import { everyTool } from './offers.ts'
import type { ComposerParts } from './parts.ts'

export type ToolFinderParts = Pick<ComposerParts, 'catalog' | 'supervisor' | 'viewOf'>

/** By its name over REST or MCP, or by an alias. Throws a 404 that says what else there is. */
export function requireTool(parts: ToolFinderParts, name: string, principal: Principal): ToolEntry {
  const { catalog, viewOf } = parts
  const view = viewOf(principal)
  const found = catalog.findTool(name, view)
  if (found) return found
  const close = closeNames(
    name,
    everyTool(catalog, view).map(({ id }) => id),
  )
  const state = seenServerNamedIn(parts, name, principal)?.status().state
  const reason =
    state !== undefined && state !== 'running'
      ? `Its server is ${state}.`
      : close.length > 0
        ? `Did you mean ${listNames(close, '')}?`
        : 'GET /tools lists those that there are.'
  throw new ComposerError('TOOL_NOT_FOUND', `There is no tool ${quoteName(name)}. ${reason}`)
}

/** For a call: the tools of a server that does not run are not listed, and a lazy one is to be started. */
export async function awaitTool(
  parts: ToolFinderParts,
  name: string,
  principal: Principal,
  signal: AbortSignal,
): Promise<ToolEntry> {
  // One that is there and not for this caller is no reason to start anything.
  if (!parts.catalog.findTool(name)) await seenServerNamedIn(parts, name, principal)?.use(signal)
  return requireTool(parts, name, principal)
}

/** Why a server does not run is for those alone who may use it, and nobody else starts it. */
function seenServerNamedIn(
  { catalog, supervisor, viewOf }: ToolFinderParts,
  name: string,
  principal: Principal,
): SupervisedServer | undefined {
  const server = serverNamedIn(supervisor, name)
  const { sees } = createServerSight(catalog, { view: viewOf(principal) })
  return server && sees(server.name) ? server : undefined
}
