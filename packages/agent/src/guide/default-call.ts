import type { JsonObject, JsonValue } from '../json.ts'
import type { ToolDeclaration } from '../model/model.ts'
import { missingFrom, propertiesOf } from './arguments.ts'

/**
 * Of the only tool that there is, where its schema itself says what each argument that it needs is. One that needs none says nothing of the kind: it is
 * not called unasked.
 */
export function defaultCall([tool, ...others]: readonly ToolDeclaration[]):
  | { readonly name: string; readonly args: JsonObject }
  | undefined {
  if (tool === undefined || others.length > 0) return undefined
  const properties = propertiesOf(tool)
  const args: Record<string, JsonValue> = {}
  for (const name of missingFrom(tool, {})) {
    const value = givenIn(properties.get(name) ?? {})
    if (value === undefined) return undefined
    args[name] = value
  }
  return Object.keys(args).length > 0 ? { name: tool.name, args } : undefined
}

function givenIn({ default: given, const: only, enum: choices }: JsonObject): JsonValue | undefined {
  if (given !== undefined) return given
  if (only !== undefined) return only
  return Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined
}
