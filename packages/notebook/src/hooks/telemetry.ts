import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import type { Redactor } from '@quire/kit/redact'
import type { Hooks } from './hooks.ts'
import { errorCode, isErrorResult } from './outcome.ts'

export interface TelemetryOptions {
  /** By default the one of the registered SDK, which does nothing while there is none. */
  readonly tracer?: Tracer
  /** Puts the beginning of the code on the span. Off by default: code holds secrets. */
  readonly includeCode?: boolean
  /** Masks the texts of errors. */
  readonly redactor?: Redactor
}

const SNIPPET_LENGTH = 200

/**
 * The same hooks with a span around each tool call, execution and kernel event. It wraps instead of listening, because only what runs inside of
 * a span has its spans as children.
 */
export function traceWith(hooks: Hooks, options: TelemetryOptions = {}): Hooks {
  const { includeCode = false, redactor } = options

  async function inSpan<Result>(name: string, attributes: Attributes, run: (span: Span) => Promise<Result>) {
    // Loaded with the first call, because a client waits for the start.
    const [{ trace }, { withSpan }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@quire/kit/trace'),
    ])
    const tracer = options.tracer ?? trace.getTracer('@quire/notebook')
    const recorded = async (span: Span) => {
      try {
        return await run(span)
      } catch (error) {
        span.setAttributes({ outcome: 'error', 'error.code': errorCode(error) })
        throw error
      }
    }
    return withSpan(tracer, name, attributes, recorded, redactor ? { redactor } : {})
  }

  return Object.freeze<Hooks>({
    on: hooks.on,
    aroundToolCall: (context, run) =>
      inSpan(`tool_call ${context.toolName}`, { 'tool.name': context.toolName }, async (span) => {
        const result = await hooks.aroundToolCall(context, run)
        span.setAttribute('outcome', isErrorResult(result) ? 'error' : 'ok')
        return result
      }),
    aroundExecution: (context, run) => {
      const attributes = {
        'kernel.id': context.kernelId,
        'code.bytes': Buffer.byteLength(context.code),
        ...(includeCode && { 'code.snippet': context.code.slice(0, SNIPPET_LENGTH).toWellFormed() }),
      }
      return inSpan('execute', attributes, async (span) => {
        const result = await hooks.aroundExecution(context, run)
        span.setAttributes({ status: result.status, 'output.count': result.outputs.length })
        return result
      })
    },
    kernelLifecycle: (event) => {
      const attributes = { event: event.event, 'kernel.id': event.kernelId, 'kernel.name': event.kernelName }
      return inSpan('kernel_lifecycle', attributes, () => hooks.kernelLifecycle(event))
    },
  })
}
