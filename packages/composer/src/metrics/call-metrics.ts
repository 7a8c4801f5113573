import type { Metrics } from '@quire/kit/metrics'
import type { AuditEntry } from '../audit/audit.ts'
import { createBoundedLabel } from './bounded-label.ts'

const MOST_TOOLS = 1_000
/** Local calls take some milliseconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function registerCallMetrics(metrics: Metrics, boundServer: (server: string) => string) {
  const boundTool = createBoundedLabel(MOST_TOOLS)
  const invocations = metrics.counter({
    name: 'mcp_tool_invocations_total',
    help: 'Calls of tools, by how they ended.',
    labelNames: ['tool_id', 'status'],
  })
  const durations = metrics.histogram({
    name: 'mcp_tool_invocation_duration_seconds',
    help: 'Seconds from a call of a tool to its result.',
    labelNames: ['tool_id'],
    buckets: BUCKETS,
  })
  const faults = metrics.counter({
    name: 'mcp_tool_invocation_errors_total',
    help: 'Calls of tools that failed, by what went wrong.',
    labelNames: ['tool_id', 'error_type'],
  })
  const reads = metrics.counter({
    name: 'mcp_resource_reads_total',
    help: 'Resources that were read, by server and by how it ended.',
    labelNames: ['server_id', 'status'],
  })
  const readDurations = metrics.histogram({
    name: 'mcp_resource_read_duration_seconds',
    help: 'Seconds from asking for a resource to having it.',
    labelNames: ['server_id'],
    buckets: BUCKETS,
  })
  const totals = { invocations: 0, errors: 0 }
  /** To find a line by its labels costs more than to count on it. As many as there are labels. */
  const known = new Map<
    string,
    { readonly succeeded: { inc(): void }; readonly duration: { observe(seconds: number): void } }
  >()

  function linesOf(tool_id: string) {
    const lines = known.get(tool_id) ?? {
      succeeded: invocations.labels({ tool_id, status: 'success' }),
      duration: durations.labels({ tool_id }),
    }
    known.set(tool_id, lines)
    return lines
  }

  function record({ method, server, target, outcome, durationMs }: AuditEntry): void {
    // Without a server the target is whatever a caller made up.
    if (server === undefined) return
    const fault = faultOf(outcome)
    const status = fault === undefined ? 'success' : 'error'
    if (method === 'resources/read') {
      const server_id = boundServer(server)
      reads.inc({ server_id, status })
      readDurations.observe({ server_id }, durationMs / 1000)
    }
    if (method !== 'tools/call') return
    const tool_id = boundTool(target)
    const { succeeded, duration } = linesOf(tool_id)
    duration.observe(durationMs / 1000)
    totals.invocations += 1
    if (fault === undefined) {
      succeeded.inc()
      return
    }
    invocations.inc({ tool_id, status })
    faults.inc({ tool_id, error_type: fault })
    totals.errors += 1
  }

  return { record, totals: () => totals }
}

/** One of few words: the numbers of errors are the servers' to make up. */
function faultOf(outcome: string): string | undefined {
  if (outcome === 'ok' || outcome === 'asked') return undefined
  return /^-?\d/.test(outcome) ? 'rpc_error' : outcome
}
