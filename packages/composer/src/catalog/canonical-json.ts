import { isRecord, MAX_DEPTH } from '@quire/mcp/json'

/** The same text for the same value, in whatever order its keys were written. Throws on what is nested too deep to be of use. */
export function canonicalJson(value: unknown, depth = 1): string {
  if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], depth + 1)}`)
  return `{${members.join(',')}}`
}
