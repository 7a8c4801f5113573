import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ExecutionResult } from '../execution/execution-result.ts'
import { ToolError } from '../tool-error.ts'
import { createHooks, type Hooks } from './hooks.ts'
import { traceWith } from './telemetry.ts'

interface Recorded {
  name: string
  parent: string | undefined
  attributes: Attributes
  exceptions: unknown[]
  ended: number
}

const DONE: ExecutionResult = { status: 'error', outputs: [], executionCount: 1, seconds: 0, notes: [] }
const CODE = { code: `password = "canary"${'\n# é'.repeat(100)}`, kernelId: 'k1' }

let spans: Recorded[]
let hooks: Hooks
const logger = createLogger({ level: 'silent', pretty: false })
beforeAll(() => void context.setGlobalContextManager(createContextManager()))
afterAll(() => context.disable())
beforeEach(() => {
  spans = []
  hooks = traceWith(createHooks(logger), { tracer: createRecordingTracer() })
})

describe('spans', () => {
  test('an execution is the child of its tool call, also among others', async () => {
    const call = (toolName: string) =>
      hooks.aroundToolCall({ toolName, arguments: { jupyter_token: 'canary' } }, async () => {
        await new Promise((resolve) => setImmediate(resolve))
        await hooks.aroundExecution(CODE, async () => DONE)
        return { content: [] }
      })
    await Promise.all([call('execute_code'), call('run_cells')])
    expect(spans).toMatchObject([
      {
        name: 'tool_call execute_code',
        parent: undefined,
        attributes: { 'tool.name': 'execute_code', outcome: 'ok' },
        ended: 1,
      },
      { name: 'tool_call run_cells', parent: undefined, ended: 1 },
      {
        name: 'execute',
        parent: 'tool_call execute_code',
        attributes: { 'kernel.id': 'k1', 'code.bytes': 519, 'output.count': 0, status: 'error' },
        exceptions: [],
        ended: 1,
      },
      { name: 'execute', parent: 'tool_call run_cells', ended: 1 },
    ])
    expect(JSON.stringify(spans)).not.toContain('canary')
  })

  test('the code is on it only when asked for, and only its beginning', async () => {
    hooks = traceWith(createHooks(logger), { tracer: createRecordingTracer(), includeCode: true })
    await hooks.aroundExecution(CODE, async () => DONE)
    expect(spans[0]?.attributes['code.snippet']).toBe(CODE.code.slice(0, 200))
  })

  test.each([
    [
      'a failure',
      () => Promise.reject(new ToolError('not_found', 'no cell')),
      { outcome: 'error', 'error.code': 'not_found' },
    ],
    [
      'an error of ours',
      () => Promise.reject(new TypeError('x')),
      { outcome: 'error', 'error.code': 'internal' },
    ],
    [
      'a cancellation',
      async () => AbortSignal.abort().throwIfAborted(),
      { outcome: 'error', 'error.code': 'cancelled' },
    ],
    ['a result that is a failure', async () => ({ isError: true }), { outcome: 'error' }],
    ['a result', async () => ({ isError: false }), { outcome: 'ok' }],
  ])('%s is on the span', async (_, run, attributes) => {
    await hooks.aroundToolCall<unknown>({ toolName: 'x', arguments: {} }, run).catch(() => undefined)
    expect(spans).toMatchObject([{ attributes, ended: 1 }])
  })

  test('a veto is on it too, and the span ends', async () => {
    hooks.on('before_tool_call', () => Promise.reject(new Error('no')), { critical: true })
    await expect(hooks.aroundToolCall({ toolName: 'x', arguments: {} }, async () => 1)).rejects.toThrow('no')
    expect(spans).toMatchObject([{ attributes: { 'error.code': 'forbidden' }, ended: 1 }])
  })

  test('texts of errors are masked', async () => {
    const redactor = createRedactor({ secrets: ['canary'] })
    hooks = traceWith(createHooks(logger), { tracer: createRecordingTracer(), redactor })
    await expect(hooks.aroundExecution(CODE, () => Promise.reject(new Error('canary')))).rejects.toThrow(
      'canary',
    )
    expect(spans[0]?.exceptions).toHaveLength(1)
    expect(JSON.stringify(spans)).not.toContain('canary')
  })

  test('kernel events have one of their own', async () => {
    const seen: unknown[] = []
    hooks.on('kernel_lifecycle', ({ event }) => void seen.push(event))
    await hooks.kernelLifecycle({ event: 'restarted', kernelId: 'k', kernelName: 'python3' })
    expect(spans).toMatchObject([
      {
        name: 'kernel_lifecycle',
        attributes: { event: 'restarted', 'kernel.id': 'k', 'kernel.name': 'python3' },
        ended: 1,
      },
    ])
    expect(seen).toEqual(['restarted'])
  })

  test('without an SDK everything goes on', async () => {
    const plain = traceWith(createHooks(logger))
    expect(await plain.aroundToolCall({ toolName: 'x', arguments: {} }, async () => 42)).toBe(42)
  })
})

/** What an SDK is to us: it keeps what is said to its spans, and makes them the active ones while they last. */
function createRecordingTracer(): Tracer {
  const tracer = {
    startSpan: () => trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 }),
    startActiveSpan(
      name: string,
      options: { attributes?: Attributes },
      parent: Context,
      run: (span: Span) => unknown,
    ) {
      const above = trace.getSpan(parent)?.spanContext().spanId
      const recorded: Recorded = {
        name,
        parent: above,
        attributes: { ...options.attributes },
        exceptions: [],
        ended: 0,
      }
      spans.push(recorded)
      const span = Object.assign(trace.wrapSpanContext({ traceId: 'trace', spanId: name, traceFlags: 1 }), {
        isRecording: () => true,
        setAttribute: (key: string, value: string) =>
          void Object.assign(recorded.attributes, { [key]: value }),
        setAttributes: (attributes: Attributes) => void Object.assign(recorded.attributes, attributes),
        recordException: (exception: unknown) => void recorded.exceptions.push(exception),
        end: () => {
          recorded.ended += 1
        },
      })
      return context.with(trace.setSpan(parent, span), run, undefined, span)
    },
  }
  return tracer as unknown as Tracer // the overloads that nobody uses are left out
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...values) => storage.run(active, () => run.apply(self as never, values)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}
