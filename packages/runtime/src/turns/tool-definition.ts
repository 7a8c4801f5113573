import { createHash } from 'node:crypto'
import { isJsonObject } from '@quire/agent/json'
import { errorResult, type Tool } from '@quire/agent/tool'

const CHANGED = errorResult(
  'This call was not made: the tool has changed since a person approved it. Call it again if it is still wanted, so that a person can decide on it as it is now.',
)

/** The same for the same tool as a person sees it, however its server writes it down. */
export function definitionOf({ name, description, inputSchema }: Tool): string {
  const text = JSON.stringify([name, description, inputSchema], sortKeys)
  return createHash('sha256').update(text).digest('base64url')
}

/** Calls that were approved for another definition than the tool has now are not made. */
export function withoutChanged(
  tools: readonly Tool[],
  approved: ReadonlyMap<string, string | null> | undefined,
): readonly Tool[] {
  if (approved === undefined) return tools
  return tools.map((tool) => {
    const definition = definitionOf(tool)
    const isChanged = (callId: string) => approved.has(callId) && approved.get(callId) !== definition
    return {
      ...tool,
      execute: async (args, context) => (isChanged(context.callId) ? CHANGED : tool.execute(args, context)),
    }
  })
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
