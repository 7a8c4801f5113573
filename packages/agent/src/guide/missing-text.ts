import type { ToolDeclaration } from '../model/model.ts'
import { missingFrom, propertiesOf } from './arguments.ts'
import { firstSentence } from './text.ts'

const MOST_NAMED = 5

/** What to say so that a tool can be called. */
export function missingText(tool: ToolDeclaration, missing: readonly string[]): string {
  const properties = propertiesOf(tool)
  const parts = missing.slice(0, MOST_NAMED).map((name) => {
    const { description } = properties.get(name) ?? {}
    return typeof description === 'string' ? `"${name}" (${firstSentence(description, 200)})` : `"${name}"`
  })
  return `\`${tool.name}\` also needs ${parts.join(', ')}. Say, for example: "${exampleCall(tool)}".`
}

export function exampleCall(tool: ToolDeclaration): string {
  const keys = missingFrom(tool, {}).slice(0, MOST_NAMED)
  return `call ${tool.name} with ${JSON.stringify(Object.fromEntries(keys.map((key) => [key, '…'])))}`
}
