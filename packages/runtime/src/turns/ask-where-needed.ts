import { errorResult, type Tool } from '@quire/agent/tool'

/** Whether a person decides on calls of the tool, by the name that models call it by, as things are now. */
export type NeedsPerson = (toolName: string) => boolean

const LATE = errorResult(
  'This call was not made: since this turn began, calls of this tool need the decision of a person. Say so, and make the call when you are prompted again.',
)

/** Whatever the agent's own definition says: it may ask for more, and not for less. */
export function askWhereNeeded(
  tools: readonly Tool[],
  needsPerson: NeedsPerson | undefined,
): readonly Tool[] {
  if (needsPerson === undefined) return tools
  return tools.map((tool): Tool => {
    if (tool.needsApproval) return tool
    if (needsPerson(tool.name)) return { ...tool, needsApproval: true }
    return {
      ...tool,
      execute: async (args, context) => (needsPerson(tool.name) ? LATE : tool.execute(args, context)),
    }
  })
}
