export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What goes into JSON of a value that came from anywhere: a shared document may hold bytes, big numbers and holes. */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value === undefined || value === null || typeof value === 'function') return null
  if (typeof value !== 'object') return value
  if (ArrayBuffer.isView(value)) return null
  if (Array.isArray(value)) return value.map(toPlain)
  return toPlainRecord(value)
}

export function toPlainRecord(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {}
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item)]))
}

/** Whether two values make the same JSON, in whichever order their keys are. */
export function isSameJson(first: unknown, second: unknown): boolean {
  if (first === second) return true
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((item, index) => isSameJson(item, second[index]))
  if (!isRecord(first) || !isRecord(second)) return false
  const keys = Object.keys(first)
  return (
    keys.length === Object.keys(second).length &&
    keys.every((key) => Object.hasOwn(second, key) && isSameJson(first[key], second[key]))
  )
}

/** Without recursion: what it guards from is a stack that does not last. */
export function exceedsDepth(value: unknown, most: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
