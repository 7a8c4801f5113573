export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[]

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** Of what was read from JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What comes from others may be nested deep enough to exhaust the stack of whoever walks it; far less is of any use. */
export const MAX_DEPTH = 128

export function exceedsDepth(value: unknown, maxDepth = MAX_DEPTH): boolean {
  let level = [value].filter(isNested)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    level = level.flatMap((item) => Object.values(item).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
