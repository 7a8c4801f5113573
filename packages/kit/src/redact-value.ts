import { types } from 'node:util'
import { isSecretKey } from './redact-names.ts'

const DEPTH_LIMIT = 8
const ENTRIES_LIMIT = 200
const NODES_LIMIT = 5_000
const CHARACTERS_LIMIT = 262_144

type Rules = { text: (text: string) => string; mask: string }

/** A bounded plain copy. Getters and `toJSON` of the input are never run, so looking at a value cannot act on it. */
export function redactValue(input: unknown, rules: Rules): unknown {
  const ancestors = new Set<object>()
  let nodes = 0
  let characters = 0

  return copy(input)

  function copy(value: unknown): unknown {
    if (typeof value === 'string') return copyText(value)
    if (typeof value === 'bigint') return value.toString()
    if (typeof value === 'symbol') return rules.text(value.toString())
    if (typeof value === 'function') return '[function]'
    if (typeof value !== 'object' || value === null) return value
    if (ancestors.has(value)) return '[circular]'
    nodes += 1
    if (ancestors.size >= DEPTH_LIMIT || nodes > NODES_LIMIT) return '[cut]'
    ancestors.add(value)
    try {
      return copyObject(value)
    } catch {
      // A proxy or a built-in with a broken state: the line is worth more than this part of it.
      return '[unreadable]'
    } finally {
      ancestors.delete(value)
    }
  }

  function copyText(text: string): string {
    if (characters > CHARACTERS_LIMIT) return '[cut]'
    const copied = rules.text(text)
    characters += copied.length
    return copied
  }

  function copyObject(value: object): unknown {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString()
    if (value instanceof URL) return rules.text(value.href)
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (value instanceof Headers || value instanceof Map) return copyEntries(value.entries())
    if (value instanceof Set) return value.values().take(ENTRIES_LIMIT).map(copy).toArray()
    if (types.isNativeError(value) || value instanceof Error) return copyError(value)
    if (Array.isArray(value)) return value.slice(0, ENTRIES_LIMIT).map(copy)
    return copyEntries(ownEntries(value).values())
  }

  function copyError(error: Error): unknown {
    const { name, message, stack, cause } = error
    const errors = error instanceof AggregateError ? error.errors : undefined
    const extra = ownEntries(error).filter(([key]) => !ERROR_KEYS.has(key))
    return {
      type: copy(name),
      message: copy(message),
      stack: copy(stack),
      ...copyEntries(extra.values()),
      ...(cause === undefined ? {} : { cause: copy(cause) }),
      ...(errors === undefined ? {} : { errors: copy(errors) }),
    }
  }

  function copyEntries(entries: Iterator<[unknown, unknown]>): Record<string, unknown> {
    const pairs = Iterator.from(entries)
      .take(ENTRIES_LIMIT)
      .map(([name, value]): [string, unknown] => {
        const key = String(name)
        return [rules.text(key), copyEntry(key, value)]
      })
    return Object.fromEntries(pairs)
  }

  function copyEntry(key: string, value: unknown): unknown {
    if (isSecretKey(key, value)) return rules.mask
    if (typeof value === 'string' && REFERRER.test(key)) return rules.text(value.replace(/[?#].*$/s, ''))
    return copy(value)
  }
}

const REFERRER = /^referr?er$/i
const ERROR_KEYS: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'errors', 'type'])

function ownEntries(value: object): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const key of Object.keys(value)) {
    if (entries.length === ENTRIES_LIMIT) break
    const property = Object.getOwnPropertyDescriptor(value, key)
    if (property) entries.push([key, 'value' in property ? property.value : '[getter]'])
  }
  return entries
}
