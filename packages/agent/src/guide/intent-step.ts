import type { ToolDeclaration } from '../model/model.ts'
import { fillArguments } from './arguments.ts'
import { INTENTS, type Intent, type IntentName } from './intents.ts'
import { missingText } from './missing-text.ts'
import { type Step, trouble } from './step.ts'
import { findTool } from './tool-names.ts'
import type { Values } from './wish.ts'

/** The first tool for it that takes all that was said, or a question. */
export function intentStep(name: IntentName, values: Values, tools: readonly ToolDeclaration[]): Step {
  const intent: Intent = INTENTS[name]
  const asks = Object.entries(intent.asks ?? {}).find(([slot]) => !(slot in values))
  if (asks) return trouble(`${asks[1]} Say, for example: "${intent.example}".`)
  const candidates = intent.tools.flatMap(([toolName, ...takes]) => {
    const tool = findTool(tools, toolName)
    return tool ? [{ tool, takes, filled: fillArguments(tool, values) }] : []
  })
  const fitting = candidates.find(
    ({ takes, filled }) => filled.missing.length === 0 && takes.every((slot) => filled.slots.has(slot)),
  )
  if (fitting) return { kind: 'call', name: fitting.tool.name, args: fitting.filled.args }
  const [nearest] = candidates
  if (!nearest) return trouble(noTool(intent, tools))
  const { missing } = nearest.filled
  return missing.length > 0
    ? trouble(missingText(nearest.tool, missing))
    : trouble(
        `\`${nearest.tool.name}\` does not take what that needs. "describe tool ${nearest.tool.name}" shows what it takes.`,
      )
}

function noTool(intent: Intent, tools: readonly ToolDeclaration[]): string {
  const [[best] = ['']] = intent.tools
  const others = tools.length > 0 ? ' "list tools" shows those at hand.' : ''
  return `None of my tools does that: it would take one such as \`${best}\`.${others} Toolsets are attached with the agent's \`mcp_toolsets\`.`
}
