export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[]

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
