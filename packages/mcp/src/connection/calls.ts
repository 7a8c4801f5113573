import {
  type CallToolResult,
  type CompleteRequestParams,
  type CompleteResult,
  type GetPromptResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Progress,
  type ReadResourceResult,
  type RequestOptions,
} from '@modelcontextprotocol/client'
import { isRecord } from '../json.ts'
import { toCallError } from './call-error.ts'
import { asIs } from './catalog.ts'
import type { Era } from './era.ts'
import { ConnectionError } from './errors.ts'
import { isSessionForgotten, type Session } from './session.ts'

export interface CallOptions {
  /** Aborting cancels the call at the server. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Each progress message starts the timeout anew, up to `maxTotalMs`. */
  readonly resetTimeoutOnProgress?: boolean | undefined
  readonly maxTotalMs?: number | undefined
  /** Goes with the request as its `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  /** How long to wait for a connection that is not ready; by default such a call fails at once. */
  readonly waitMs?: number | undefined
}

export type Arguments = Readonly<Record<string, unknown>>

export interface Calls {
  /** The result as the server gave it. A tool that failed has `isError`; nothing is thrown for that. */
  callTool(name: string, args: Arguments, options?: CallOptions): Promise<CallToolResult>
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<GetPromptResult>
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>
  complete(params: CompleteRequestParams, options?: CallOptions): Promise<CompleteResult>
  /** Resolves when the server answers. */
  ping(options?: CallOptions): Promise<void>
}

export interface CallsOptions {
  readonly server: string
  readonly timeoutMs: number
  readonly logLevel: LoggingLevel | undefined
  readonly ready: (waitMs: number, signal: AbortSignal | undefined) => Promise<Session>
}

const MAX_TOTAL_MS = 3_600_000

type Run<Result> = (session: Session, request: RequestOptions) => Promise<Result>

export function createCalls({ server, timeoutMs: defaultMs, logLevel, ready }: CallsOptions): Calls {
  async function call<Result>(what: string, options: CallOptions, run: Run<Result>): Promise<Result> {
    const session = await ready(options.waitMs ?? 0, options.signal)
    try {
      return await attempt(session)
    } catch (error) {
      if (!isSessionForgotten(error, session)) throw failure(error, session)
      const text = `MCP server "${server}" has forgotten our session.`
      session.fail(new ConnectionError('lost', text, { cause: error, status: 404 }))
    }
    // The server refused the call before it looked at it, so asking again in a new session repeats nothing.
    const fresh = await ready(options.timeoutMs ?? defaultMs, options.signal)
    try {
      return await attempt(fresh)
    } catch (error) {
      throw failure(error, fresh)
    }

    function attempt(live: Session): Promise<Result> {
      return run(live, toRequestOptions(options, defaultMs))
    }

    function failure(error: unknown, live: Session): Error {
      const { signal, timeoutMs = defaultMs } = options
      return toCallError(error, { server, what, signal, timeoutMs, ending: live.ending() })
    }
  }

  function ask<Result>(
    what: string,
    method: string,
    params: Record<string, unknown>,
    isResult: (value: unknown) => value is Result,
    options: CallOptions,
  ): Promise<Result> {
    return call(what, options, async ({ client, era }, request) => {
      const full = withMeta(params, era, options)
      const result: unknown = await client.request({ method, params: full }, asIs, request)
      if (isResult(result)) return result
      throw new ConnectionError('invalid-answer', `MCP server "${server}" answered ${what} in a wrong shape.`)
    })
  }

  function withMeta(
    params: Record<string, unknown>,
    era: Era,
    { meta }: CallOptions,
  ): Record<string, unknown> {
    const wantsLogs = logLevel !== undefined && era === 'modern'
    if (!meta && !wantsLogs) return params
    return { ...params, _meta: { ...(wantsLogs && { [LOG_LEVEL_META_KEY]: logLevel }), ...meta } }
  }

  return Object.freeze({
    callTool(name: string, args: Arguments, options: CallOptions = {}) {
      return call(`tool "${name}"`, options, async ({ client, era, headerTool }, request) => {
        const params = withMeta({ name, arguments: { ...args } }, era, options)
        const tool = headerTool(name)
        if (tool) {
          // Without its output schema: the result is the caller's to judge.
          const toolDefinition = { name, inputSchema: tool.inputSchema }
          return client.callTool({ name, ...params }, { ...request, toolDefinition })
        }
        const result: unknown = await client.request({ method: 'tools/call', params }, asIs, request)
        return isToolResult(result) ? result : { content: [], ...(isRecord(result) && result) }
      })
    },
    getPrompt(name: string, args: Readonly<Record<string, string>>, options: CallOptions = {}) {
      return ask(`prompt "${name}"`, 'prompts/get', { name, arguments: { ...args } }, isPromptResult, options)
    },
    readResource(uri: string, options: CallOptions = {}) {
      return ask(`resource "${uri}"`, 'resources/read', { uri }, isResourceResult, options)
    },
    complete(params: CompleteRequestParams, options: CallOptions = {}) {
      return ask('a completion', 'completion/complete', { ...params }, isCompletion, options)
    },
    async ping(options: CallOptions = {}) {
      await call('ping', options, ({ client, era }, request) =>
        era === 'modern' ? client.discover(request) : client.ping(request),
      )
    },
  })
}

function toRequestOptions(options: CallOptions, defaultMs: number): RequestOptions {
  const {
    signal,
    timeoutMs = defaultMs,
    onProgress,
    resetTimeoutOnProgress,
    maxTotalMs = MAX_TOTAL_MS,
  } = options
  return {
    timeout: timeoutMs,
    ...(signal && { signal }),
    // Without a listener the server is not asked for progress at all.
    ...((onProgress || resetTimeoutOnProgress) && { onprogress: onProgress ?? (() => undefined) }),
    ...(resetTimeoutOnProgress && { resetTimeoutOnProgress, maxTotalTimeout: maxTotalMs }),
  }
}

function isToolResult(value: unknown): value is CallToolResult {
  return isRecord(value) && Array.isArray(value.content)
}

function isPromptResult(value: unknown): value is GetPromptResult {
  return isRecord(value) && Array.isArray(value.messages)
}

function isResourceResult(value: unknown): value is ReadResourceResult {
  return isRecord(value) && Array.isArray(value.contents)
}

function isCompletion(value: unknown): value is CompleteResult {
  return isRecord(value) && isRecord(value.completion)
}
