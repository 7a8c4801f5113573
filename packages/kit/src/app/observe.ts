import { randomUUID } from 'node:crypto'
import type { Tracer } from '@opentelemetry/api'
import type { Context, MiddlewareHandler } from 'hono'
import { type RawRequest, rawRequest } from '../guard/raw-request.ts'
import type { Logger } from '../log.ts'
import type { FinishRequest, Metrics } from '../metrics.ts'
import { extractTrace, withSpan } from '../trace.ts'
import { finishAnswerHeaders, setAnswerHeaders } from './answer-headers.ts'
import { createClientAddress } from './client-address.ts'
import type { RouteTable } from './route-table.ts'
import type { ServiceEnv } from './service-env.ts'

export interface ObservationOptions {
  readonly logger?: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[]
}

const PLAIN_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Gives each request its id, and writes down how it went when its answer is out: a log line, a count, a span. None holds the path itself. */
export function createObservation(
  options: ObservationOptions,
  routes: RouteTable,
): MiddlewareHandler<ServiceEnv> {
  const { logger, metrics, tracer } = options
  const clientAddress = createClientAddress(options.trustedProxies ?? [])

  return async function observe(c, next) {
    const incoming = c.env?.incoming
    const raw = rawRequest(c.req.raw, incoming)
    const requestId = requestIdOf(raw)
    const route = routes.find(c)
    c.set('raw', raw)
    c.set('requestId', requestId)
    c.set('address', clientAddress(raw, incoming))
    c.set('route', route)
    setAnswerHeaders(c, { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' })
    const startedAt = performance.now()
    const finishMetrics = metrics?.startRequest(c.req.method)
    if (tracer)
      await withSpan(tracer, `${c.req.method} ${route?.pattern ?? ''}`, {}, () => next(), {
        parent: extractTrace(c.req.raw.headers),
      })
    else await next()
    finishAnswerHeaders(c)

    const finish = finishOf(recordOf(c), startedAt, finishMetrics, logger)
    const outgoing = c.env?.outgoing
    // A client that left while the handler was at work has closed it already.
    if (outgoing && !outgoing.closed) outgoing.on('close', finish)
    else finish()
  }
}

/** The client's own where it is plain. */
export function requestIdOf(raw: RawRequest): string {
  const [offered] = raw.header('x-request-id')
  return offered !== undefined && PLAIN_ID.test(offered) ? offered : randomUUID()
}

/** Holds the record alone: a stream may stay open for days, and the request's context need not stay with it. */
export function finishOf(
  record: RequestRecord,
  startedAt: number,
  finishMetrics: FinishRequest | undefined,
  logger: Logger | undefined,
) {
  return function finish() {
    finishMetrics?.(record.route, record.status)
    if (!logger?.isLevelEnabled('info')) return
    logger.vouched(
      { ...record, duration_ms: Math.round((performance.now() - startedAt) * 10) / 10 },
      'request',
    )
  }
}

/** How a request went. Its status may be known later than the rest. */
interface RequestRecord {
  readonly request_id: string
  readonly method: string
  readonly route: string | undefined
  status: number
  readonly subject: string | undefined
  readonly address: string
}

function recordOf(c: Context<ServiceEnv>): RequestRecord {
  return {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: c.get('route')?.pattern,
    status: c.res.status,
    subject: c.get('principal')?.subject,
    address: c.get('address'),
  }
}
