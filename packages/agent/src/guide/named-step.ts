import type { ToolDeclaration } from '../model/model.ts'
import { missingFrom, propertiesOf, unknownIn } from './arguments.ts'
import { describeTool } from './help.ts'
import { exampleCall, missingText } from './missing-text.ts'
import { type Step, say, trouble } from './step.ts'
import { listOf, quoted } from './text.ts'
import { findTool, plain, toolsNamed } from './tool-names.ts'
import type { Wish } from './wish.ts'

type Tools = readonly ToolDeclaration[]

/** A tool by its name. Where there is none, one that calls others may know it. */
export function callStep({ name, args, fault }: Extract<Wish, { kind: 'call' }>, tools: Tools): Step {
  const [tool, ...others] = toolsNamed(tools, name)
  if (tool && others.length > 0) {
    const names = [tool, ...others].slice(0, 10).map((one) => one.name)
    return trouble(`"${name}" may be any of ${listOf(names)}. Say the whole name.`)
  }
  if (args === undefined) {
    return trouble(
      `The arguments for "${name}" cannot be used: ${fault}. Say, for example: "${tool ? exampleCall(tool) : `call ${name} with {}`}".`,
    )
  }
  if (!tool) {
    const gateway = findTool(tools, 'call_tool')
    if (gateway) return { kind: 'call', name: gateway.name, args: { name, arguments: args } }
    return unknownTool(name, tools)
  }
  const unknown = unknownIn(tool, args)
  if (unknown.length > 0) {
    const known = [...propertiesOf(tool).keys()]
    return trouble(
      `\`${tool.name}\` has no argument ${quoted(unknown.join(', '), 100)}. It takes ${known.length > 0 ? listOf(known) : 'none'}.`,
    )
  }
  const missing = missingFrom(tool, args)
  if (missing.length > 0) return trouble(missingText(tool, missing))
  return { kind: 'call', name: tool.name, args }
}

export function describeStep(name: string, tools: Tools): Step {
  const found = toolsNamed(tools, name)
  if (found.length > 0) return say(found.slice(0, 3).map(describeTool).join('\n\n'))
  const describer = findTool(tools, 'describe_tool')
  return describer ? { kind: 'call', name: describer.name, args: { name } } : unknownTool(name, tools)
}

function unknownTool(name: string, tools: Tools): Step {
  const wanted = plain(name)
  const near = tools
    .map((tool) => tool.name)
    .filter((one) => plain(one).includes(wanted) || wanted.includes(plain(one)))
  const next =
    near.length > 0 ? `Did you mean ${listOf(near.slice(0, 5))}?` : 'Say "list tools" to see what there is.'
  return trouble(`There is no tool ${quoted(name, 100)}. ${next}`)
}
