import { isRecord } from '@quire/mcp/json'

/** A value on one line, tables in braces. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return writeString(value)
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`
  if (value instanceof Date) return value.toISOString()
  if (isRecord(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${writeKey(key)} = ${writeValue(item)}`)
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
  }
  if (typeof value === 'number') return writeNumber(value)
  return String(value)
}

export function writeKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : writeString(key)
}

/** Without the indices: a header names the last item of an array by the array's name. */
export function writeHeader(path: readonly (string | number)[], isItem: boolean): string {
  const name = path
    .filter((part) => typeof part === 'string')
    .map(writeKey)
    .join('.')
  return isItem ? `[[${name}]]` : `[${name}]`
}

/** JSON's escapes are TOML's, but for DEL; and TOML knows no half characters. */
function writeString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f')
}

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  // What is whole but too large for an integer is a float.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)
}
