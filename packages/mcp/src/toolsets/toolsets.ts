import type { CallToolResult, Tool } from '@modelcontextprotocol/client'
import type { Arguments, CallOptions } from '../connection/calls.ts'
import { type Connection, createConnection } from '../connection/connection.ts'
import type { ConnectionOptions } from '../connection/connection-options.ts'
import { createEventStream, type Dropped } from '../connection/event-stream.ts'
import type { ToolsetsConfig } from './config.ts'

export interface ToolsetsOptions extends Omit<ConnectionOptions, 'name' | 'knownEra'> {
  /** Without these nothing else should be called ready. */
  readonly required?: readonly string[] | undefined
  /** The time one tool may take, where it is not the usual one. */
  readonly timeoutFor?: ((toolset: string, tool: string) => number | undefined) | undefined
}

export interface ToolsetStatus {
  readonly ready: boolean
  readonly tools: readonly string[]
  readonly error?: string
}

export interface ToolsetsStatus {
  /** Every server has come up or failed at least once. */
  readonly initialized: boolean
  readonly servers: Readonly<Record<string, ToolsetStatus>>
}

export interface ToolsetTool {
  readonly toolset: string
  /** `toolset__tool` where prefixes were asked for, else the tool's own name. */
  readonly name: string
  readonly tool: Tool
}

export interface ToolsOptions {
  readonly toolsets?: readonly string[] | undefined
  readonly prefix?: boolean | undefined
}

export type ToolsetEvent =
  | { readonly type: 'status'; readonly toolset: string; readonly status: ToolsetStatus }
  | { readonly type: 'tools'; readonly toolset: string }

export interface Toolsets {
  readonly names: readonly string[]
  status(): ToolsetsStatus
  /** One sentence for each required toolset that is not ready. */
  missing(): readonly string[]
  /** Of the toolsets that are ready. */
  tools(options?: ToolsOptions): readonly ToolsetTool[]
  call(toolset: string, tool: string, args: Arguments, options?: CallOptions): Promise<CallToolResult>
  /** For prompts, resources and whatever else a server offers. */
  connection(toolset: string): Connection
  events(signal?: AbortSignal): AsyncIterable<ToolsetEvent | Dropped>
  close(): Promise<void>
}

const SEPARATOR = '__'

/** A named set of servers, all started at once and in the background: none waits for another, none fails with another. */
export function createToolsets(config: ToolsetsConfig, options: ToolsetsOptions): Toolsets {
  const { required = [], timeoutFor, ...connectionOptions } = options
  const unknown = required.filter((name) => !config.has(name))
  if (unknown.length > 0) throw new Error(`required toolsets that are not configured: ${unknown.join(', ')}`)

  const connections = new Map<string, Connection>()
  for (const [name, target] of config) {
    connections.set(name, createConnection(target, { ...connectionOptions, name }))
  }
  const events = createEventStream<ToolsetEvent>()
  const pending = new Set(connections.keys())
  const followed = [...connections.values()].map(follow)
  let closing: Promise<void> | undefined

  async function follow(connection: Connection): Promise<void> {
    const toolset = connection.name
    for await (const event of connection.events()) {
      if (event.type === 'state' && event.state !== 'connecting') pending.delete(toolset)
      if (event.type === 'state' || event.type === 'dropped') {
        events.emit({ type: 'status', toolset, status: statusOf(connection) })
      }
      if (event.type === 'dropped' || (event.type === 'catalog' && event.kind === 'tools')) {
        events.emit({ type: 'tools', toolset })
      }
    }
  }

  function connection(toolset: string): Connection {
    const found = connections.get(toolset)
    if (found) return found
    throw new Error(
      `There is no toolset "${toolset}". Configured are: ${[...connections.keys()].join(', ') || 'none'}.`,
    )
  }

  async function close(): Promise<void> {
    const outcomes = await Promise.allSettled([...connections.values()].map((open) => open.close()))
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        options.logger.error({ err: outcome.reason }, 'a toolset did not close cleanly')
    }
    await Promise.allSettled(followed)
    events.end()
  }

  return Object.freeze({
    names: Object.freeze([...connections.keys()]),
    status(): ToolsetsStatus {
      const servers = Object.fromEntries([...connections].map(([name, open]) => [name, statusOf(open)]))
      return { initialized: pending.size === 0, servers }
    },
    missing: () =>
      required.flatMap((name) => {
        const { ready, error } = statusOf(connection(name))
        return ready ? [] : [error ?? `The toolset "${name}" is still starting.`]
      }),
    tools({ toolsets = [...connections.keys()], prefix = false }: ToolsOptions = {}): readonly ToolsetTool[] {
      return toolsets.flatMap((toolset) => {
        const open = connection(toolset)
        if (open.status().state !== 'ready') return []
        return open.catalog().tools.map((tool) => {
          const name = prefix ? `${toolset}${SEPARATOR}${tool.name}` : tool.name
          return { toolset, name, tool }
        })
      })
    },
    async call(
      toolset: string,
      tool: string,
      args: Arguments,
      call: CallOptions = {},
    ): Promise<CallToolResult> {
      const times = config.get(toolset)
      const own =
        times?.toolTimeouts && Object.hasOwn(times.toolTimeouts, tool) ? times.toolTimeouts[tool] : undefined
      const timeoutMs = call.timeoutMs ?? timeoutFor?.(toolset, tool) ?? own ?? times?.timeoutMs
      return connection(toolset).callTool(tool, args, { ...call, timeoutMs })
    },
    connection,
    events: events.subscribe,
    close(): Promise<void> {
      closing ??= close()
      return closing
    },
  })
}

function statusOf(connection: Connection): ToolsetStatus {
  const { state, error } = connection.status()
  const ready = state === 'ready'
  const tools = ready ? connection.catalog().tools.map(({ name }) => name) : []
  return Object.freeze({ ready, tools, ...(error && { error: error.message }) })
}
