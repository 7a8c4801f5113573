import { once } from 'node:events'
import { isJsonObject } from '@quire/agent/json'
import type { Tool } from '@quire/agent/tool'
import type { Logger } from '@quire/kit/log'
import type { Redactor } from '@quire/kit/redact'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { AgentRecord } from '../agents/agent-record.ts'
import type { AgentTools } from './agent-tools.ts'
import { callToolset } from './call-toolset.ts'
import { type NamedTool, namedTools } from './named-tools.ts'
import { isVisibleTo } from './tool-ui.ts'

export interface AgentToolsOptions {
  readonly logger: Logger
  /** What a server wrote before it failed is told to the model. */
  readonly redactor: Pick<Redactor, 'text'>
  /** How long a prompt waits for toolsets that are in their first start. */
  readonly waitMs?: number | undefined
}

const FIRST_START_MS = 5_000
/** Each call has the toolset's own, shorter time; this is what it may take with all the progress that it reports. */
const LONGEST_CALL_MS = 3_600_000

/** One toolset that is down takes none of the others with it: its tools are absent until it is back. */
export function createAgentTools(toolsets: Toolsets, options: AgentToolsOptions): AgentTools {
  const { logger, redactor, waitMs = FIRST_START_MS } = options

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

  function toTool({ toolset, name, tool }: NamedTool, needsApproval: boolean): Tool {
    const inputSchema = isJsonObject(tool.inputSchema) ? tool.inputSchema : {}
    return Object.freeze({
      name,
      description: tool.description ?? tool.title ?? '',
      inputSchema: { type: 'object', ...inputSchema },
      timeoutMs: LONGEST_CALL_MS,
      ...(needsApproval && { needsApproval }),
      execute: (args, { signal }) =>
        callToolset({ toolsets, redactor }, { toolset, tool: tool.name, args, signal }),
    } satisfies Tool)
  }

  async function toolsOf(agent: AgentRecord, signal: AbortSignal): Promise<readonly Tool[]> {
    const wanted = agent.mcpToolsets
    const unknown = wanted.filter((name) => !toolsets.names.includes(name))
    if (unknown.length > 0)
      logger.warn({ agent: agent.id, unknown }, 'an agent names toolsets that do not exist')
    await settle(wanted, signal)
    signal.throwIfAborted()
    return namedTools(toolsets, wanted)
      .filter(({ tool }) => isVisibleTo(tool, 'model'))
      .map((named) => toTool(named, agent.toolApproval))
  }

  return Object.freeze({ toolsOf })
}
