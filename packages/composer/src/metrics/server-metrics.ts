import type { Metrics } from '@quire/kit/metrics'
import type { ServerState } from '../supervisor/server-state.ts'
import type { SupervisorEvent } from '../supervisor/supervisor.ts'
import type { ComposerMetricsOptions } from './composer-metrics.ts'

interface ServerMetricsOptions extends Pick<ComposerMetricsOptions, 'servers' | 'version' | 'uptimeSeconds'> {
  readonly boundServer: (server: string) => string
}

const STATES: Readonly<Record<string, ServerState>> = {
  running: 'running',
  stopped: 'stopped',
  failed: 'crashed',
}

/** The lives of servers; returns the listener that counts what happens to them. */
export function registerServerMetrics(
  metrics: Metrics,
  { servers, version, uptimeSeconds, boundServer }: ServerMetricsOptions,
): (event: SupervisorEvent) => void {
  metrics
    .gauge({
      name: 'mcp_composer_info',
      help: 'Which composer this is.',
      labelNames: ['version', 'platform'],
    })
    .set({ version, platform: process.platform }, 1)
  metrics.gauge({
    name: 'mcp_composer_uptime_seconds',
    help: 'Seconds since the start.',
    collect() {
      this.set(uptimeSeconds())
    },
  })
  metrics.gauge({
    name: 'mcp_servers_total',
    help: 'Servers of the configuration.',
    collect() {
      this.set(servers().length)
    },
  })
  for (const [name, state] of Object.entries(STATES)) {
    metrics.gauge({
      name: `mcp_servers_${name}`,
      help: `Servers that are ${state}.`,
      collect() {
        this.set(servers().filter((server) => server.status().state === state).length)
      },
    })
  }
  metrics.counter({
    name: 'mcp_server_restarts_total',
    help: 'Restarts of each server that is configured now.',
    labelNames: ['server_id'],
    collect() {
      this.reset()
      for (const server of servers())
        this.inc({ server_id: boundServer(server.name) }, server.status().restartCount)
    },
  })
  return countEvents(metrics, boundServer)
}

function countEvents(
  metrics: Metrics,
  boundServer: (server: string) => string,
): (event: SupervisorEvent) => void {
  const starts = metrics.counter({
    name: 'mcp_server_starts_total',
    help: 'Starts of servers, by how they ended.',
    labelNames: ['server_id', 'status'],
  })
  const count = (name: string, help: string) => metrics.counter({ name, help, labelNames: ['server_id'] })
  const stops = count('mcp_server_stops_total', 'How often a server has stopped.')
  const crashes = count('mcp_server_crashes_total', 'How often a server has crashed.')
  const garbage = count(
    'mcp_server_garbage_total',
    'Messages of a server that were none, or answered nothing.',
  )
  const starting = new Set<string>()

  return function countEvent(event) {
    const server_id = boundServer(event.server)
    if (event.type === 'garbage') garbage.inc({ server_id })
    if (event.type !== 'state') return
    const wasStarting = starting.delete(event.server)
    if (event.state === 'starting') starting.add(event.server)
    if (event.state === 'running') starts.inc({ server_id, status: 'success' })
    if (event.state === 'stopped') stops.inc({ server_id })
    if (event.state === 'crashed') {
      crashes.inc({ server_id })
      if (wasStarting) starts.inc({ server_id, status: 'failure' })
    }
  }
}
