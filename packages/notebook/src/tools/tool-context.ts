import type { Logger } from '@quire/kit/log'
import type { NotebookConfig } from '../config.ts'
import type { ConnectionTargets } from '../connection-targets.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { KeptOutputs } from '../outputs/kept-outputs.ts'
import type { PathFence } from '../path-fence.ts'
import type { Servers } from '../workbench/servers.ts'
import type { View } from '../workspace/view.ts'

export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** What a tool works with during one call. */
export interface ToolContext {
  readonly config: NotebookConfig
  /** The servers as they were when the call began. */
  readonly servers: Servers
  /** The notebooks that the caller has in use, and what it has seen of them. */
  readonly view: View
  /** The caller, by the name that others in a live document are to see; absent: nobody is shown. */
  readonly author?: string | undefined
  readonly fence: PathFence
  readonly hooks: Hooks
  /** Outputs too large for a reply, of code that belongs to no cell. */
  readonly keptOutputs: KeptOutputs
  readonly logger: Logger
  /** The caller has cancelled, or has gone. */
  readonly signal: AbortSignal
  /** Told to clients that asked for it. */
  progress(update: ProgressUpdate): void
  /** Whether the caller has the scope to run code, and so to end what runs. */
  readonly mayExecute: boolean
  /** Points everything at other servers. */
  connect(targets: ConnectionTargets): Promise<void>
}
