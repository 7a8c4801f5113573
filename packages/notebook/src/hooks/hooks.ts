import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Logger } from '@quire/kit/log'
import type { ExecutionResult } from '../execution/execution-result.ts'
import { ToolError } from '../tool-error.ts'
import type { Execution, HookEvent, HookEvents, KernelLifecycle, ToolCall } from './events.ts'

export type HookHandler<Event extends HookEvent> = (event: HookEvents[Event]) => void | Promise<void>

export interface HookOptions {
  /** Its error fails the call; before the call it is a veto. Otherwise an error is logged and ignored. */
  readonly critical?: boolean
  /** How long it is waited for. A handler that is late has failed. */
  readonly timeoutMs?: number
}

export type ToolCallContext = Omit<ToolCall, 'id' | 'shared'>
export type ExecutionContext = Omit<Execution, 'toolCall' | 'shared'>

export interface Hooks {
  /** Handlers run one after the other, in the order in which they were registered. The returned function takes this one away. */
  on<Event extends HookEvent>(event: Event, handler: HookHandler<Event>, options?: HookOptions): () => void
  /** However the call goes, the event after it is told exactly once, and to every handler. */
  aroundToolCall<Result>(context: ToolCallContext, run: () => Promise<Result>): Promise<Result>
  /** Knows the tool call that it happens in. */
  aroundExecution<Result extends ExecutionResult>(
    context: ExecutionContext,
    run: () => Promise<Result>,
  ): Promise<Result>
  kernelLifecycle(event: KernelLifecycle): Promise<void>
}

interface Registered<Event extends HookEvent> {
  readonly handler: HookHandler<Event>
  readonly critical: boolean
  readonly timeoutMs: number
}

const TIMEOUT_MS = 5_000

export function createHooks(logger: Logger): Hooks {
  const registered: { [Event in HookEvent]: Registered<Event>[] } = {
    before_tool_call: [],
    after_tool_call: [],
    before_execute: [],
    after_execute: [],
    kernel_lifecycle: [],
  }
  const currentCall = new AsyncLocalStorage<ToolCall>()

  function on<Event extends HookEvent>(
    event: Event,
    handler: HookHandler<Event>,
    { critical = false, timeoutMs = TIMEOUT_MS }: HookOptions = {},
  ): () => void {
    const entry = { handler, critical, timeoutMs }
    registered[event].push(entry)
    return () => {
      const index = registered[event].indexOf(entry)
      if (index !== -1) registered[event].splice(index, 1)
    }
  }

  /** Throws what a critical handler threw; those behind it are not asked any more. */
  async function ask<Event extends HookEvent>(event: Event, payload: HookEvents[Event]): Promise<void> {
    for (const entry of [...registered[event]]) {
      const failure = await runHandler(event, entry, payload)
      if (failure) throw toVeto(failure)
    }
  }

  /** Tells every handler, then throws what the first critical one threw. */
  async function tell<Event extends HookEvent>(event: Event, payload: HookEvents[Event]): Promise<void> {
    const failures: Error[] = []
    for (const entry of [...registered[event]]) {
      const failure = await runHandler(event, entry, payload)
      if (failure) failures.push(failure)
    }
    if (failures[0]) throw toFailure(failures[0])
  }

  /** The error of a critical handler; that of another one is only logged. */
  async function runHandler<Event extends HookEvent>(
    event: Event,
    { handler, critical, timeoutMs }: Registered<Event>,
    payload: HookEvents[Event],
  ): Promise<Error | undefined> {
    const deadline = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      deadline.reject(new Error(`it did not finish within ${timeoutMs} ms`))
    }, timeoutMs)
    try {
      await Promise.race([(async () => handler(payload))(), deadline.promise])
      return undefined
    } catch (error) {
      logger.warn({ err: error, event, critical }, 'a hook failed')
      return critical ? asError(error) : undefined
    } finally {
      clearTimeout(timer)
    }
  }

  async function aroundToolCall<Result>(
    context: ToolCallContext,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const call: ToolCall = { ...context, id: randomUUID(), shared: new Map() }
    return around(
      () => ask('before_tool_call', call),
      () => currentCall.run(call, run),
      (ended) => tell('after_tool_call', Object.assign(call, ended)),
    )
  }

  async function aroundExecution<Result extends ExecutionResult>(
    context: ExecutionContext,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const execution: Execution = { ...context, toolCall: currentCall.getStore(), shared: new Map() }
    return around(
      () => ask('before_execute', execution),
      run,
      (ended) => tell('after_execute', Object.assign(execution, ended.ok ? summary(ended) : ended)),
    )
  }

  return Object.freeze({
    on,
    aroundToolCall,
    aroundExecution,
    kernelLifecycle: (event: KernelLifecycle) => tell('kernel_lifecycle', event),
  })
}

type Ending<Result> = { readonly durationMs: number } & (
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: unknown }
)

async function around<Result>(
  before: () => Promise<void>,
  run: () => Promise<Result>,
  after: (ending: Ending<Result>) => Promise<void>,
): Promise<Result> {
  const start = performance.now()
  const took = () => performance.now() - start
  let result: Result
  try {
    await before()
    result = await run()
  } catch (error) {
    // What failed first is what the caller should know; a hook that fails after it is in the log.
    await after({ ok: false, error, durationMs: took() }).catch(() => undefined)
    throw error
  }
  await after({ ok: true, result, durationMs: took() })
  return result
}

function summary({ result, durationMs }: { result: ExecutionResult; durationMs: number }) {
  return { ok: true, status: result.status, outputCount: result.outputs.length, durationMs } as const
}

function toVeto(error: Error): ToolError {
  if (error instanceof ToolError) return error
  return new ToolError('forbidden', `A hook of this server refused it: ${error.message}.`, { cause: error })
}

function toFailure(error: Error): ToolError {
  if (error instanceof ToolError) return error
  const message = `It was done, but a hook of this server failed afterwards: ${error.message}. Look at the outcome before you repeat it.`
  return new ToolError('failing', message, { cause: error })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
