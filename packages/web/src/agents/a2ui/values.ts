import { toText } from '../../ui/to-text.ts'
import { isTable } from '../apps/user-interfaces.ts'
import { callFunction } from './functions.ts'
import { readAt } from './pointer.ts'

/** What values of components are read from. */
export interface Scope {
  readonly data: unknown
  /** Where relative paths begin, within a list. */
  readonly base: string
}

const MOST_DEEP = 8

/** A literal, what stands at its path, or what a function of the catalog makes of its arguments. */
export function readValue(value: unknown, scope: Scope, depth = 0): unknown {
  if (depth > MOST_DEEP) return undefined
  if (Array.isArray(value)) return value.map((one) => readValue(one, scope, depth + 1))
  const path = pathOf(value, scope.base)
  if (path !== undefined) return readAt(scope.data, path)
  if (!isTable(value) || typeof value.call !== 'string') return value
  const args = Object.entries(isTable(value.args) ? value.args : {})
  return callFunction(
    value.call,
    Object.fromEntries(args.map(([name, one]) => [name, readValue(one, scope, depth + 1)])),
    (one) => toText(readAt(scope.data, toAbsolute(one, scope.base))),
  )
}

export function readText(value: unknown, scope: Scope): string {
  return toText(readValue(value, scope))
}

/** Where what a person puts in is written to; a literal cannot be changed. */
export function pathOf(value: unknown, base: string): string | undefined {
  return isTable(value) && typeof value.path === 'string' ? toAbsolute(value.path, base) : undefined
}

export function toAbsolute(path: string, base: string): string {
  return path.startsWith('/') ? path : `${base}/${path}`
}
