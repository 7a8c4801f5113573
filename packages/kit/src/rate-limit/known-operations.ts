import type { ServiceApp } from '../app/create-app.ts'
import { ConfigError } from '../config/config-error.ts'
import type { RateLimits } from './rate-limits.ts'

const DEFAULT = 'default'

/** A limit of an operation that does not exist would limit nothing, without a word. `alsoKnown` are names that stand for several. */
export function assertKnownOperations(
  limits: RateLimits,
  app: ServiceApp,
  alsoKnown: readonly string[] = [],
): void {
  const known = [...closedOperations(app), ...alsoKnown, DEFAULT]
  const faults = [...limits.keys()]
    .filter((name) => !known.includes(name))
    .map((name) => ({
      setting: '--rate-limit',
      origin: JSON.stringify(name),
      message: `is no operation that can be limited: use ${known.join(', ')}`,
    }))
  if (faults.length > 0) throw new ConfigError(faults)
}

/** The public ones have no limits. */
function closedOperations(app: ServiceApp): readonly string[] {
  return app.openAPIRegistry.definitions
    .flatMap((definition) => (definition.type === 'route' ? [definition.route] : []))
    .filter(({ security }) => security?.length !== 0)
    .flatMap(({ operationId }) => operationId ?? [])
    .sort()
}
