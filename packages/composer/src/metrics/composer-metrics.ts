import type { Metrics } from '@quire/kit/metrics'
import type { AuditEntry } from '../audit/audit.ts'
import type { MetricsMessage } from '../contract.ts'
import type { SupervisedServer, SupervisorEvent } from '../supervisor/supervisor.ts'
import { createBoundedLabel } from './bounded-label.ts'
import { registerCallMetrics } from './call-metrics.ts'
import { countTools, type OfferedCatalog, registerOfferMetrics } from './offer-metrics.ts'
import { createProcessLoad } from './process-load.ts'
import { registerServerMetrics } from './server-metrics.ts'

export interface ComposerMetricsOptions {
  readonly metrics: Metrics
  readonly version: string
  readonly servers: () => readonly SupervisedServer[]
  readonly catalog: OfferedCatalog
  readonly uptimeSeconds: () => number
  readonly now?: () => Date
}

export interface ComposerMetrics {
  /** For the app: what it counts there stands in the snapshot as well. */
  readonly http: Metrics
  observe(event: SupervisorEvent): void
  /** Counts calls of tools and reads of resources, and nothing else that is recorded. */
  called(call: AuditEntry): void
  reloaded(isApplied: boolean): void
  snapshot(): MetricsMessage
}

const MOST_SERVERS = 1_000

/** What Prometheus reads at `/metrics`, and the few numbers of it that a page shows. */
export function createComposerMetrics(options: ComposerMetricsOptions): ComposerMetrics {
  const { metrics, servers, catalog, uptimeSeconds, now = () => new Date() } = options
  const boundServer = createBoundedLabel(MOST_SERVERS)
  const readLoad = createProcessLoad()
  const calls = registerCallMetrics(metrics, boundServer)
  const observe = registerServerMetrics(metrics, { ...options, boundServer })
  registerOfferMetrics(metrics, catalog, boundServer)
  const reloads = metrics.counter({
    name: 'mcp_config_reloads_total',
    help: 'Configurations that were applied, or refused, since the start.',
    labelNames: ['status'],
  })
  const toolsTotal = countTools(catalog)
  let requests = 0

  return Object.freeze<ComposerMetrics>({
    http: Object.freeze({
      ...metrics,
      startRequest(method: string) {
        requests += 1
        return metrics.startRequest(method)
      },
    }),
    observe,
    called: calls.record,
    reloaded(isApplied) {
      reloads.inc({ status: isApplied ? 'success' : 'failure' })
    },
    snapshot() {
      const statuses = servers().map((server) => server.status())
      const { cpuPercent, memoryPercent } = readLoad()
      const { invocations, errors } = calls.totals()
      return {
        type: 'metrics',
        timestamp: now().toISOString(),
        http_requests_total: requests,
        tool_invocations_total: invocations,
        tool_errors_total: errors,
        server_restarts_total: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
        servers_running: statuses.filter(({ state }) => state === 'running').length,
        tools_total: toolsTotal(),
        cpu_percent: cpuPercent,
        memory_percent: memoryPercent,
        uptime_seconds: uptimeSeconds(),
      }
    },
  })
}
