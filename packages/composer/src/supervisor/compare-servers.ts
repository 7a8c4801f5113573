import { isDeepStrictEqual } from 'node:util'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerChanges } from './supervisor.ts'

/** What becomes of servers when these are to be there in place of those. */
export function compareServers(
  before: readonly ServerDefinition[],
  next: readonly ServerDefinition[],
): ServerChanges {
  const old = new Map(before.map((definition) => [definition.name, definition]))
  const names = new Set(next.map(({ name }) => name))
  const known = next.filter(({ name }) => old.has(name))
  const isUnchanged = (definition: ServerDefinition) =>
    isDeepStrictEqual(old.get(definition.name), definition)
  return Object.freeze({
    added: next.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: known.filter((definition) => !isUnchanged(definition)).map(({ name }) => name),
    unchanged: known.filter(isUnchanged).map(({ name }) => name),
  })
}
