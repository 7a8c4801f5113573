import type { Principal } from '@quire/kit/auth/principal'
import type { Logger } from '@quire/kit/log'
import type { ChangeNotifier } from '@quire/mcp/serving/change-notifier'
import type { ServerFactory } from '@quire/mcp/serving/factory'
import type { IncomingMessage } from '@quire/mcp/serving/mount'
import type { WebSocket } from 'ws'
import type { ConnectionTargets } from '../connection-targets.ts'
import type { RegisterHooks } from '../hooks/load-hooks.ts'
import type { RoomHost } from '../live-route/room-host.ts'

export type KernelStatus = 'alive' | 'dead' | 'not_initialized' | 'unknown' | 'error'

/** The whole capability behind the wires: MCP over stdio or HTTP, and the management routes. */
export interface Workbench {
  readonly createServer: ServerFactory<Principal>
  /** The scopes that a message to the MCP endpoint needs. */
  scopeFor(message: IncomingMessage): readonly string[]
  /** Where changes of tools, prompts and resources are told. */
  tellChangesTo(notifier: ChangeNotifier): void
  kernelStatus(): Promise<KernelStatus>
  /** Cancels every call that is under way: each answers with what it has seen. */
  cancelCalls(): void
  /** Checks that the new servers answer, then lets the old ones go. Throws a `ToolError`, and the old connection stays. */
  connect(targets: ConnectionTargets): Promise<void>
  /** A connection to the room of a notebook, for somebody else. Throws a `ToolError`. Absent where notebooks may only be read. */
  readonly openRoom?: OpenRoom | undefined
  /** Lets all notebooks go and shuts down the kernels that we started. May be called again. */
  stop(): Promise<void>
  close(): Promise<void>
}

export type OpenRoom = (path: string, signal: AbortSignal) => Promise<WebSocket>

export interface WorkbenchDeps {
  readonly logger: Logger
  readonly registerHooks?: RegisterHooks | undefined
  /** Told every credential that comes in, so that no log line ever holds it. */
  readonly keepSecret?: (secret: string) => void
  /** Holds the rooms of notebooks on servers without any. */
  readonly roomHost?: RoomHost | undefined
}
