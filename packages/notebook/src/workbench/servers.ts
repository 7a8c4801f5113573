import type { WebSocket } from 'ws'
import type { ConnectionTargets } from '../connection-targets.ts'
import type { NotebookDocument } from '../document/document.ts'
import type { Contents } from '../upstream/contents.ts'
import type { Kernels } from '../upstream/kernels.ts'
import type { JupyterServer } from '../upstream/server.ts'
import type { Sessions } from '../upstream/sessions.ts'
import type { KernelPool } from '../workspace/kernel-pool.ts'
import type { KernelUsers } from '../workspace/kernel-users.ts'

/** The notebook servers in use: the one that stores documents and the one that runs code, which may be one and the same. */
export interface Servers {
  readonly targets: ConnectionTargets
  readonly document: JupyterServer
  readonly sandbox: JupyterServer
  /** Documents and code are on one server, so that a notebook has a session there. */
  readonly isOne: boolean
  /** Of the storage server. */
  readonly contents: Contents
  /** Of the execution server. */
  readonly kernels: Kernels
  readonly sessions: Sessions
  /** Open connections to kernels of the execution server. */
  readonly pool: KernelPool
  readonly users: KernelUsers
  openDocument(path: string): NotebookDocument
  /** What callers should know about how notebooks of this server are edited; said once. */
  documentNote(): string | undefined
  /** A connection to the room of a notebook, for somebody else to relay. */
  openRoom(path: string, signal: AbortSignal): Promise<WebSocket>
  /** Both answer, and take our credentials. Throws a `ToolError` otherwise. */
  check(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
