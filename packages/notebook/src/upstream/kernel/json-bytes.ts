const MAX_DEPTH = 128
/** For quotes, separators and the object that holds a value. */
const PER_VALUE = 8

/** About how many bytes a value takes as JSON. Infinite when it is nested deeper than is safe to walk: no recursion here. */
export function jsonBytes(value: unknown): number {
  let bytes = 0
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY
    const next: unknown[] = []
    for (const item of level) {
      bytes += PER_VALUE
      if (typeof item === 'string') bytes += Buffer.byteLength(item)
      else if (Array.isArray(item)) for (const part of item) next.push(part)
      else if (typeof item === 'object' && item !== null) {
        for (const [key, part] of Object.entries(item)) {
          bytes += Buffer.byteLength(key)
          next.push(part)
        }
      }
    }
    level = next
  }
  return bytes
}
