import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { Failure } from '../contract.ts'
import { LOG_LEVELS } from '../logs/log-book.ts'
import { streamMetrics } from '../metrics/metrics-stream.ts'
import { choice, text } from '../request-fields.ts'
import { json, REFUSED } from './declare.ts'
import { wholeNumber } from './page.ts'
import type { ComposerParts } from './parts.ts'

type StreamParts = Pick<ComposerParts, 'streams' | 'logBook' | 'metrics'>

const MOST_HISTORY = 1_000
const DEFAULT_HISTORY = 100

const LogQuery = z.object({
  history: wholeNumber(0, MOST_HISTORY, DEFAULT_HISTORY, 'How many of the last lines to send first'),
  server: text(256, 0).optional(),
  level: z
    .string()
    .toUpperCase()
    .pipe(choice(LOG_LEVELS))
    .optional()
    .openapi({ type: 'string', enum: [...LOG_LEVELS], description: 'This level and those above it' }),
})

const tags = ['streams']
const common = {
  tags,
  method: 'get',
  security: needs('logs:read'),
  description: 'Browsers offer the sub-protocols `quire.v1` and `quire.bearer.<the token in base64url>`.',
} as const

const responses = {
  ...REFUSED,
  101: { description: 'A WebSocket' },
  426: { description: 'This is no WebSocket handshake' },
  429: json('This caller has too many streams open', Failure),
  503: json('There are too many streams open', Failure),
}

/** `/ws/logs` and `/ws/metrics`. */
export function mountStreams(app: ServiceApp, { streams, logBook, metrics }: StreamParts): void {
  const logs = createRoute({
    ...common,
    path: '/ws/logs',
    operationId: 'streamLogs',
    summary: 'The last lines of the composer and its servers, and then those to come',
    request: { query: LogQuery },
    responses,
  })
  app.openapi(
    logs,
    streams.route((context, signal) => logBook.read(LogQuery.parse(context.req.query()), signal)),
  )

  const numbers = createRoute({
    ...common,
    path: '/ws/metrics',
    operationId: 'streamMetrics',
    summary: 'The numbers of /status/metrics, every second',
    responses,
  })
  app.openapi(
    numbers,
    streams.route((_context, signal) => streamMetrics(metrics.snapshot, signal)),
  )
}
