import type { HealthStatus } from '../contract.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'

type Watched = Pick<SupervisedServer, 'definition' | 'status'>

/**
 * A server that has crashed and will not be tried again is a fault: of the whole where nothing else runs. One that is meant to run and does not, for it is starting,
 * waits for its next try or was stopped by somebody, is a lack.
 */
export function healthOf(servers: readonly Watched[]): HealthStatus {
  const seen = servers.map((server) => ({ ...server.definition, ...server.status() }))
  const isLost = seen.some(({ state, retryInMs }) => state === 'crashed' && retryInMs === null)
  const isAnyRunning = seen.some(({ state }) => state === 'running')
  if (isLost && !isAnyRunning) return 'unhealthy'
  const isAnyMissing = seen.some(({ autoStart, lazy, state }) => autoStart && !lazy && state !== 'running')
  return isLost || isAnyMissing ? 'degraded' : 'healthy'
}
