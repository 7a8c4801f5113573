import type { ServerDefinition } from '../server-definition.ts'
import { compareServers } from '../supervisor/compare-servers.ts'
import type { ServerChanges } from '../supervisor/supervisor.ts'
import type { NextConfig } from './config-service.ts'

/** What applying a configuration would do to the servers that are there. Those that are part of the program stay, unless the file has one of their name. */
export function foreseenChanges(
  present: readonly ServerDefinition[],
  { servers, rewritten }: Pick<NextConfig, 'servers' | 'rewritten'>,
): ServerChanges {
  const named = new Set(servers.map(({ name }) => name))
  const kept = present.filter(({ transport, name }) => transport === 'built-in' && !named.has(name))
  const { added, removed, changed, unchanged } = compareServers(present, [...kept, ...servers])
  const known = [...kept, ...servers].map(({ name }) => name)
  const isChanged = new Set([...changed, ...unchanged.filter((name) => rewritten.has(name))])
  return {
    added,
    removed,
    changed: known.filter((name) => isChanged.has(name)),
    unchanged: unchanged.filter((name) => !isChanged.has(name)),
  }
}
