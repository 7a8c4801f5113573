import { CallerError } from '@quire/kit/errors'
import { type NamedTool, namedTools } from '@quire/mcp/toolsets/named-tools'
import { originOf } from '@quire/mcp/toolsets/tool-origin'
import { isVisibleTo } from '@quire/mcp/toolsets/tool-visibility'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import { isUiUri, uiResourceOf } from './tool-ui.ts'
import { shown } from './toolset-failure.ts'

export interface WantedAppTool {
  readonly toolset: string
  /** As its own server calls it. */
  readonly tool: string
  /** The tool that shows the user interface, as models call it. */
  readonly shownBy: string | undefined
}

/** The tool that a user interface wants to call: one of its own server. Throws where there is none (404), or where it is not for user interfaces (403). */
export function findAppTool(
  toolsets: Pick<Toolsets, 'names' | 'tools' | 'connection'>,
  { toolset, tool, shownBy }: WantedAppTool,
): NamedTool {
  const tools = namedTools(toolsets, [toolset])
  const server = serverOf(tools, toolset, shownBy)
  const own = tools.filter((one) => originOf(one.tool)?.server === server)
  const found =
    own.find((one) => originOf(one.tool)?.tool === tool) ?? own.find((one) => one.tool.name === tool)
  if (!found)
    throw new CallerError(
      'not_found',
      server === undefined
        ? `The toolset ${shown(toolset)} has no tool ${shown(tool)}.`
        : `The server ${shown(server)} of the toolset ${shown(toolset)}, whose user interface this is, has no tool ${shown(tool)}.`,
    )
  if (!isVisibleTo(found.tool, 'app') || !hasInterfaces())
    throw new CallerError('scope', `The tool ${shown(tool)} of ${shown(toolset)} is not for user interfaces.`)
  return found

  /** Where a server has none, none can ask for a call. */
  function hasInterfaces(): boolean {
    return (
      own.some((one) => uiResourceOf(one.tool) !== undefined) ||
      toolsets
        .connection(toolset)
        .catalog()
        .resources.some(({ uri }) => isUiUri(uri))
    )
  }
}

/** Undefined: the toolset is a single server. */
function serverOf(
  tools: readonly NamedTool[],
  toolset: string,
  shownBy: string | undefined,
): string | undefined {
  if (!tools.some(({ tool }) => originOf(tool))) return undefined
  const showing = tools.find(({ name }) => name === shownBy)
  const server = showing && originOf(showing.tool)?.server
  if (server !== undefined) return server
  throw new CallerError(
    'scope',
    `The toolset ${shown(toolset)} offers the tools of several servers as one: say in "shown_by" which of its tools shows the user interface, by the name that the agent called it by.`,
  )
}
