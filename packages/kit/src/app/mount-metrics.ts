import type { Metrics } from '../metrics.ts'
import type { ServiceApp } from './create-app.ts'

/** Prometheus text at `/metrics`, for whoever has a token. */
export function mountMetrics(app: ServiceApp, metrics: Metrics, path = '/metrics'): void {
  app.get(path, async (c) => c.body(await metrics.text(), 200, { 'content-type': metrics.contentType }))
}
