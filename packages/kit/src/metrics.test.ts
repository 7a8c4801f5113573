import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('two services of one kind in one process do not mix', async () => {
  const one = createMetrics({ service: 'one' })
  const other = createMetrics({ service: 'other' })
  one.counter({ name: 'tasks_total', help: 'Tasks.' }).inc()
  other.counter({ name: 'tasks_total', help: 'Tasks.' }).inc(5)
  expect(await one.text()).toContain('tasks_total{service="one"} 1\n')
  expect(await other.text()).toContain('tasks_total{service="other"} 5\n')
  expect(await one.text()).not.toContain('other')
})

test('requests are counted, timed and seen in flight by method, route pattern and class of status', async () => {
  const metrics = createMetrics({ service: 'x' })
  const finishes = [metrics.startRequest('GET'), metrics.startRequest('GET'), metrics.startRequest('POST')]
  expect(await metrics.text()).toContain('http_requests_in_flight{service="x"} 3')
  finishes[0]?.('/teams/:id', 200)
  finishes[1]?.('/teams/:id', 204)
  finishes[2]?.('/teams', 422)
  const text = await metrics.text()
  expect(text).toContain('http_requests_in_flight{service="x"} 0')
  expect(text).toContain('http_requests_total{method="GET",route="/teams/:id",status="2xx",service="x"} 2')
  expect(text).toContain('http_requests_total{method="POST",route="/teams",status="4xx",service="x"} 1')
  expect(text).toMatch(/http_request_duration_seconds_count\{.*route="\/teams\/:id".*} 2/)
})

test('a request that is finished twice is counted once', async () => {
  const metrics = createMetrics({ service: 'x' })
  const finish = metrics.startRequest('GET')
  finish('/a', 200)
  finish('/a', 500)
  const text = await metrics.text()
  expect(text).toContain('http_requests_in_flight{service="x"} 0')
  expect(text).not.toContain('5xx')
})

test('a stranger cannot make label values: unknown methods and unmatched paths share one each', async () => {
  const metrics = createMetrics({ service: 'x' })
  for (const method of ['PROPFIND', 'M-SEARCH', 'x"y\n', '__proto__'])
    metrics.startRequest(method)(undefined, 404)
  expect(await metrics.text()).toContain(
    'http_requests_total{method="OTHER",route="unmatched",status="4xx",service="x"} 4',
  )
})

test('process metrics come only when asked for', async () => {
  expect(await createMetrics({ service: 'x' }).text()).not.toContain('process_')
  const text = await createMetrics({ service: 'x', processMetrics: true }).text()
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).toContain('nodejs_eventloop_lag')
})

test('gauges and histograms carry their labels', async () => {
  const metrics = createMetrics({ service: 'x' })
  metrics.gauge({ name: 'open', help: 'Open.', labelNames: ['kind'] }).set({ kind: 'sse' }, 3)
  metrics.histogram({ name: 'size', help: 'Size.', buckets: [1, 10] }).observe(5)
  const text = await metrics.text()
  expect(text).toContain('open{kind="sse",service="x"} 3')
  expect(text).toContain('size_bucket{le="10",service="x"} 1')
  expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
})
