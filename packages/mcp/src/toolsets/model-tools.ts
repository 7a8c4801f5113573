import { once } from 'node:events'
import type { Logger } from '@quire/kit/log'
import type { Redactor } from '@quire/kit/redact'
import { isJsonObject } from '../json.ts'
import { callToolset } from './call-toolset.ts'
import type { ModelTool } from './model-tool.ts'
import { type NamedTool, namedTools } from './named-tools.ts'
import type { Thread } from './thread.ts'
import { isVisibleTo } from './tool-visibility.ts'
import type { Toolsets } from './toolsets.ts'

export interface WantedTools {
  /** Of toolsets. */
  readonly names: readonly string[]
  /** Who wants them, for the log. */
  readonly who?: string | undefined
  /** A person decides before each call. */
  readonly needsApproval?: boolean | undefined
  /** The line of work that the calls belong to. */
  readonly thread?: Thread | undefined
}

/** The tools that a model can be offered right now. */
export interface ModelTools {
  /** Of the toolsets that are ready, prefixed by the toolset's name; those that are for user interfaces alone are left out. Waits a little for toolsets that are just starting. */
  toolsOf(wanted: WantedTools, signal: AbortSignal): Promise<readonly ModelTool[]>
}

export interface ModelToolsOptions {
  readonly logger: Logger
  /** What a server wrote before it failed is told to the model. */
  readonly redactor: Pick<Redactor, 'text'>
  /** How long whoever asks waits for toolsets that are in their first start. */
  readonly waitMs?: number | undefined
}

const FIRST_START_MS = 5_000
const MOST_TOLD = 1_000
/** Each call has the toolset's own, shorter time; this is what it may take with all the progress that it reports. */
const LONGEST_CALL_MS = 3_600_000

/** One toolset that is down takes none of the others with it: its tools are absent until it is back. */
export function createModelTools(toolsets: Toolsets, options: ModelToolsOptions): ModelTools {
  const { logger, redactor, waitMs = FIRST_START_MS } = options
  const told = new Set<string>()

  async function settle(names: readonly string[], signal: AbortSignal): Promise<void> {
    if (!areStarting(names)) return
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    await Promise.race([untilStarted(names, deadline), once(deadline, 'abort')])
  }

  async function untilStarted(names: readonly string[], signal: AbortSignal): Promise<void> {
    for await (const _event of toolsets.events(signal)) if (!areStarting(names)) return
  }

  /** One that has failed has an error, and keeps it until it is ready. */
  function areStarting(names: readonly string[]): boolean {
    const { servers } = toolsets.status()
    return names.some((name) => servers[name]?.ready === false && servers[name].error === undefined)
  }

  function toTool(
    { toolset, name, tool }: NamedTool,
    { needsApproval = false, thread }: WantedTools,
  ): ModelTool {
    const inputSchema = isJsonObject(tool.inputSchema) ? tool.inputSchema : {}
    return Object.freeze({
      name,
      description: tool.description ?? tool.title ?? '',
      inputSchema: { type: 'object', ...inputSchema },
      timeoutMs: LONGEST_CALL_MS,
      ...(needsApproval && { needsApproval }),
      execute: (args, { signal, idempotencyKey }) =>
        callToolset(
          { toolsets, redactor },
          { toolset, tool: tool.name, args, signal, idempotencyKey, thread },
        ),
    } satisfies ModelTool)
  }

  function tellOnce(who: string | undefined, unknown: readonly string[]): void {
    const what = JSON.stringify([who, unknown])
    if (told.has(what)) return
    if (told.size >= MOST_TOLD) told.clear()
    told.add(what)
    logger.warn({ who, unknown }, 'toolsets are wanted that do not exist')
  }

  async function toolsOf(wanted: WantedTools, signal: AbortSignal): Promise<readonly ModelTool[]> {
    const { names, who } = wanted
    const unknown = names.filter((name) => !toolsets.names.includes(name))
    if (unknown.length > 0) tellOnce(who, unknown)
    await settle(names, signal)
    signal.throwIfAborted()
    return namedTools(toolsets, names)
      .filter(({ tool }) => isVisibleTo(tool, 'model'))
      .map((named) => toTool(named, wanted))
  }

  return Object.freeze({ toolsOf })
}
