import { isJsonObject, type JsonObject } from '../json.ts'

/** What nests deeper cannot be relied upon to be written again. */
const MAX_DEPTH = 64

/** A tool without parameters is often called with no text at all. Undefined where the text is no JSON object. */
export function parseArgs(text: string): JsonObject | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && !isDeep(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isDeep(root: JsonObject): boolean {
  let level: unknown[] = [root]
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    level = level.flatMap((value) => Object.values(Object(value)).filter(isNested))
    if (level.length === 0) return false
  }
  return true
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
