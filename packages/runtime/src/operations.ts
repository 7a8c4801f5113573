import type { ServiceApp } from '@quire/kit/app/create-app'
import { ConfigError } from '@quire/kit/config/config-error'
import type { RateLimits } from '@quire/kit/rate-limit/rate-limits'

const DEFAULT = 'default'

/** A limit of an operation that does not exist would limit nothing, without a word. */
export function assertKnownOperations(limits: RateLimits, app: ServiceApp): void {
  const known = [...closedOperations(app), DEFAULT]
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
