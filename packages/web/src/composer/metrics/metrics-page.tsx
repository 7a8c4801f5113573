import { Badge } from '../../ui/badge.tsx'
import { Figure } from '../../ui/card.tsx'
import { toDuration } from '../../ui/duration.ts'
import { Page } from '../../ui/page.tsx'
import { Loading } from '../../ui/state.tsx'
import { MetricsTable } from './metrics-table.tsx'
import { MetricsPlot, type PlottedLine } from './plot.tsx'
import type { Measure } from './series.ts'
import { FORMATS, toGrouped } from './units.ts'
import { type LiveMetrics, useLiveMetrics } from './use-live-metrics.ts'

interface Panel {
  readonly title: string
  readonly atLeast: number
  readonly lines: readonly (Omit<PlottedLine, 'values'> & { readonly measure: Measure })[]
}

const PANELS: readonly Panel[] = [
  {
    title: 'Calls of tools a second',
    atLeast: 1,
    lines: [
      { measure: 'calls', label: 'Calls', colour: 'accent' },
      { measure: 'errors', label: 'Errors', colour: 'bad' },
    ],
  },
  { title: 'Time of a call', atLeast: 10, lines: [{ measure: 'latency', label: 'Mean', colour: 'busy' }] },
  {
    title: 'HTTP requests a second',
    atLeast: 1,
    lines: [{ measure: 'requests', label: 'Requests', colour: 'accent' }],
  },
  {
    title: 'Processor, 100 % being one core',
    atLeast: 10,
    lines: [{ measure: 'cpu', label: 'CPU', colour: 'warn' }],
  },
  {
    title: 'Memory that may be used',
    atLeast: 1,
    lines: [{ measure: 'memory', label: 'Memory', colour: 'good' }],
  },
  {
    title: 'Servers that run, and their tools',
    atLeast: 1,
    lines: [
      { measure: 'tools', label: 'Tools', colour: 'accent' },
      { measure: 'servers', label: 'Servers', colour: 'good' },
    ],
  },
]

export function MetricsPage() {
  const metrics = useLiveMetrics()
  return (
    <Page
      title="Metrics"
      note="The composer's last ten minutes, since this page was opened."
      actions={<State {...metrics} />}
    >
      {metrics.latest === undefined ? (
        <Loading what="the numbers" />
      ) : (
        <Live {...metrics} latest={metrics.latest} />
      )}
    </Page>
  )
}

function State({ state, dropped }: LiveMetrics) {
  return (
    <>
      {dropped > 0 && <Badge tone="warn">{toGrouped(dropped)} readings were left out</Badge>}
      {state === 'open' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Connecting</Badge>}
    </>
  )
}

function Live({ series, version, latest }: LiveMetrics & Required<Pick<LiveMetrics, 'latest'>>) {
  if (latest === undefined) return undefined
  return (
    <>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure label="Calls of tools" value={toGrouped(latest.tool_invocations_total)} />
        <Figure label="Errors of calls" value={toGrouped(latest.tool_errors_total)} />
        <Figure label="Restarts of servers" value={toGrouped(latest.server_restarts_total)} />
        <Figure label="Up for" value={toDuration(latest.uptime_seconds)} />
      </div>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        {PANELS.map(({ title, atLeast, lines }) => (
          <MetricsPlot
            key={title}
            title={title}
            atLeast={atLeast}
            times={series.times}
            version={version}
            format={FORMATS[lines[0]?.measure ?? 'calls']}
            lines={lines.map(({ measure, ...line }) => ({ ...line, values: series.columns[measure] }))}
          />
        ))}
      </div>
      <MetricsTable series={series} version={version} />
    </>
  )
}
