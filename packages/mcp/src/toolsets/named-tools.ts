import type { Tool } from '@modelcontextprotocol/client'
import { modelNameOf } from './tool-names.ts'
import type { Toolsets } from './toolsets.ts'

export interface NamedTool {
  readonly toolset: string
  /** As models call it. */
  readonly name: string
  readonly tool: Tool
}

/** The tools of those toolsets that exist and are ready. Of two with one name, which only a server can bring about that lists a tool twice, the first. */
export function namedTools(
  toolsets: Pick<Toolsets, 'names' | 'tools'>,
  wanted: readonly string[],
): readonly NamedTool[] {
  const known = [...new Set(wanted)].filter((name) => toolsets.names.includes(name))
  const found = new Map<string, NamedTool>()
  for (const { toolset, tool } of toolsets.tools({ toolsets: known })) {
    const name = modelNameOf(toolset, tool.name)
    if (!found.has(name)) found.set(name, { toolset, name, tool })
  }
  return [...found.values()]
}
