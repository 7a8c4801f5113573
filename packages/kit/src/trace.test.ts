import { type Context, ROOT_CONTEXT, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { createRedactor } from './redact.ts'
import { extractTrace, injectTrace, withSpan } from './trace.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

/** What an SDK would be to us: it keeps what was said to its spans. */
function createRecordingTracer() {
  const log: unknown[] = []
  const parents: Context[] = []
  const span = Object.assign(trace.wrapSpanContext({ traceId: TRACE, spanId: SPAN, traceFlags: 1 }), {
    isRecording: () => true,
    recordException: (exception: unknown) => void log.push(exception),
    setStatus: (status: unknown) => void log.push(status),
    end: () => void log.push('end'),
  })
  const tracer = {
    startSpan: () => span,
    startActiveSpan: (
      name: string,
      { attributes }: object & { attributes?: unknown },
      parent: Context,
      run: (span: Span) => unknown,
    ) => {
      log.push([name, attributes])
      parents.push(parent)
      return run(span)
    },
  }
  return { tracer: tracer as unknown as Tracer, log, parents }
}

describe('withSpan', () => {
  test('returns the result and ends the span', async () => {
    const { tracer, log } = createRecordingTracer()
    expect(await withSpan(tracer, 'work', { size: 1 }, async () => 42)).toBe(42)
    expect(log).toEqual([['work', { size: 1 }], 'end'])
  })

  test('records a masked error, ends the span and throws on', async () => {
    const { tracer, log } = createRecordingTracer()
    const redactor = createRedactor({ secrets: ['canary-secret'] })
    const failing = withSpan(tracer, 'work', {}, () => Promise.reject(new TypeError('canary-secret')), {
      redactor,
    })
    await expect(failing).rejects.toThrow('canary-secret')
    expect(log).toMatchObject([
      ['work', {}],
      { name: 'TypeError', message: '[redacted]' },
      { code: SpanStatusCode.ERROR, message: '[redacted]' },
      'end',
    ])
    expect(JSON.stringify(log)).not.toContain('canary')
  })

  test('a synchronous throw is a rejection, and the span ends', async () => {
    const { tracer, log } = createRecordingTracer()
    const run = () => {
      throw new Error('at once')
    }
    await expect(withSpan(tracer, 'work', {}, run)).rejects.toThrow('at once')
    expect(log.at(-1)).toBe('end')
  })

  test('belongs to the given parent', async () => {
    const { tracer, parents } = createRecordingTracer()
    const parent = extractTrace(new Headers({ traceparent: `00-${TRACE}-${SPAN}-01` }))
    await withSpan(tracer, 'work', {}, async () => undefined, { parent })
    expect(parents).toEqual([parent])
  })

  test('without an SDK the work is done all the same', async () => {
    const tracer = trace.getTracer('quire')
    expect(await withSpan(tracer, 'work', {}, async (span) => span.isRecording())).toBe(false)
    await expect(withSpan(tracer, 'work', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

describe('trace headers', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`00-${TRACE}-${SPAN}-ff`, 1],
    [`cc-${TRACE}-${SPAN}-01-more`, 1],
  ])('%s is understood', (traceparent, traceFlags) => {
    const spanContext = trace.getSpanContext(extractTrace(new Headers({ traceparent, tracestate: 'a=1' })))
    expect(spanContext).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true })
    expect(spanContext?.traceState?.get('a')).toBe('1')
  })

  test.each([
    undefined,
    '',
    'x',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}${'a'.repeat(100_000)}-${SPAN}-01`,
  ])('%j starts a fresh trace', (traceparent) => {
    const headers = new Headers(traceparent === undefined ? {} : { traceparent })
    expect(extractTrace(headers)).toBe(ROOT_CONTEXT)
  })

  test('an oversized tracestate is left behind', () => {
    const headers = new Headers({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: `a=${'x'.repeat(600)}` })
    expect(trace.getSpanContext(extractTrace(headers))?.traceState).toBeUndefined()
  })

  test('what came in goes out', () => {
    const incoming = new Headers({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1,b=2' })
    const outgoing = new Headers()
    injectTrace(outgoing, extractTrace(incoming))
    expect([...outgoing]).toEqual([...incoming])
  })

  test('without a trace nothing is written', () => {
    const headers = new Headers()
    injectTrace(headers)
    expect([...headers]).toEqual([])
  })
})
