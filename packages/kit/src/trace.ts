import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Redactor } from './redact.ts'

export type SpanOptions = {
  /** What the span belongs to; by default the active context. */
  parent?: Context
  /** Masks the text of a recorded error. */
  redactor?: Redactor
}

/** Runs inside a span that always ends; an error is recorded on it and thrown on. Costs nothing while no SDK is registered. */
export function withSpan<Result>(
  tracer: Tracer,
  name: string,
  attributes: Attributes,
  run: (span: Span) => Promise<Result>,
  options: SpanOptions = {},
): Promise<Result> {
  return tracer.startActiveSpan(name, { attributes }, options.parent ?? context.active(), async (span) => {
    try {
      return await run(span)
    } catch (error) {
      recordError(span, error, options.redactor)
      throw error
    } finally {
      span.end()
    }
  })
}

function recordError(span: Span, error: unknown, redactor: Redactor | undefined): void {
  if (!span.isRecording()) return
  const mask = redactor?.text ?? ((text: string) => text)
  const message = mask(error instanceof Error ? error.message : String(error))
  const name = error instanceof Error ? error.name : 'Error'
  const stack = error instanceof Error ? mask(error.stack ?? '') : ''
  span.recordException({ name, message, stack })
  span.setStatus({ code: SpanStatusCode.ERROR, message })
}

// https://www.w3.org/TR/trace-context/: later versions may append fields, version ff is forbidden.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const TRACESTATE_LIMIT = 512

/** The caller's trace, or a fresh root where `traceparent` is absent or malformed. */
export function extractTrace(headers: Pick<Headers, 'get'>): Context {
  const header = headers.get('traceparent')
  const [, version, traceId, spanId, flags, more] = (header && TRACEPARENT.exec(header)) || []
  if (!traceId || !spanId || !flags || (version === '00' && more)) return ROOT_CONTEXT
  const state = headers.get('tracestate')
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state && state.length <= TRACESTATE_LIMIT ? { traceState: createTraceState(state) } : {}),
  }
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT
}

/** Writes the trace of `from` (by default the active context) into outgoing headers. */
export function injectTrace(headers: Pick<Headers, 'set'>, from: Context = context.active()): void {
  const spanContext = trace.getSpanContext(from)
  if (!spanContext || !isSpanContextValid(spanContext)) return
  const flags = spanContext.traceFlags.toString(16).padStart(2, '0')
  headers.set('traceparent', `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`)
  const state = spanContext.traceState?.serialize()
  if (state) headers.set('tracestate', state)
}
