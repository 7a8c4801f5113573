import { isRecord } from '@quire/mcp/json'

/** Equal in all that TOML can say; the order of keys says nothing. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date || other instanceof Date)
    return one instanceof Date && other instanceof Date && one.toISOString() === other.toISOString()
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, at) => sameValue(item, other[at]))
  }
  if (!isRecord(one) || !isRecord(other)) return one === other || (Number.isNaN(one) && Number.isNaN(other))
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]))
  )
}

export function isTableList(value: unknown): value is readonly Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isRecord(item) && !(item instanceof Date))
  )
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !(value instanceof Date)
}
