import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client'

export type MetricsOptions = {
  /** A label on every line. */
  service: string
  /** Memory, CPU and event-loop lag: of the process, so at most one service of a process should say so. */
  processMetrics?: boolean
}

export type FinishRequest = (route: string | undefined, status: number) => void

export type Metrics = Readonly<{
  contentType: string
  text(): Promise<string>
  /** Counts a request as in flight until the returned function is called with the route's pattern, never the raw path. It began now, or at `startedAt`. */
  startRequest(method: string, startedAt?: number): FinishRequest
  counter<Label extends string = never>(options: MetricOptions<CounterConfiguration<Label>>): Counter<Label>
  gauge<Label extends string = never>(options: MetricOptions<GaugeConfiguration<Label>>): Gauge<Label>
  histogram<Label extends string = never>(
    options: MetricOptions<HistogramConfiguration<Label>>,
  ): Histogram<Label>
}>

type MetricOptions<Configuration> = Omit<Configuration, 'registers'>

export function createMetrics({ service, processMetrics = false }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  registry.setDefaultLabels({ service })
  if (processMetrics) collectDefaultMetrics({ register: registry })
  return Object.freeze({
    contentType: registry.contentType,
    text: () => registry.metrics(),
    startRequest: createRequestMetrics(registry),
    counter: (options) => new Counter({ ...options, registers }),
    gauge: (options) => new Gauge({ ...options, registers }),
    histogram: (options) => new Histogram({ ...options, registers }),
  } satisfies Metrics)
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

function createRequestMetrics(registry: Registry): Metrics['startRequest'] {
  const labelNames = ['method', 'route', 'status'] as const
  const registers = [registry]
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its answer.',
    labelNames,
    buckets: DURATION_BUCKETS,
    registers,
  })
  new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by method, route pattern and class of status.',
    labelNames,
    registers,
    // The histogram has counted them already; a second count for every request would only cost.
    async collect() {
      this.reset()
      const { values } = await duration.get()
      for (const { metricName, labels, value } of values)
        if (metricName?.endsWith('_count')) this.inc(labels, value)
    },
  })
  let inFlight = 0
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that are being answered, open streams included.',
    registers,
    collect() {
      this.set(inFlight)
    },
  })
  const observers = new Map<string, (seconds: number) => void>()

  function observerOf(method: string, route: string, status: string): (seconds: number) => void {
    const key = `${method} ${route} ${status}`
    const known = observers.get(key) ?? duration.labels(method, route, status).observe
    observers.set(key, known)
    return known
  }

  return (rawMethod, started = performance.now()) => {
    const method = METHODS.has(rawMethod) ? rawMethod : 'OTHER'
    let finished = false
    inFlight += 1
    return (route = 'unmatched', status) => {
      if (finished) return
      finished = true
      inFlight -= 1
      observerOf(method, route, `${Math.floor(status / 100)}xx`)((performance.now() - started) / 1000)
    }
  }
}
