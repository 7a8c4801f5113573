import { errorResult } from '@quire/mcp/toolsets/model-tool'
import type { ModelTools } from '@quire/mcp/toolsets/model-tools'

/** Why a tool is not called, as things are now; undefined where it is. */
export type RefusesTool = (toolName: string) => string | undefined

/** The tools are offered all the same: whoever calls one reads why it cannot be called, and can say so in the result. */
export function withRefusals(tools: ModelTools, refuses: RefusesTool | undefined): ModelTools {
  if (refuses === undefined) return tools
  return Object.freeze({
    async toolsOf(wanted, signal) {
      const offered = await tools.toolsOf(wanted, signal)
      return offered.map((tool) => ({
        ...tool,
        async execute(args, context) {
          const reason = refuses(tool.name)
          return reason === undefined ? tool.execute(args, context) : errorResult(reason)
        },
      }))
    },
  } satisfies ModelTools)
}
