import type { KernelConnection } from '../upstream/kernel/kernel-connection.ts'
import type { KernelStatus } from '../workbench/workbench.ts'

export interface ReadyKernel {
  readonly kernelId: string
  readonly connection: KernelConnection
  interrupt(): Promise<void>
  /** What the caller must be told: a kernel that was started or adopted just now, or one that had to be replaced. */
  readonly notes: readonly string[]
}

/**
 * The kernel of one notebook in use. Where documents and code are on one server, it is the kernel of the notebook's session there, so that
 * a person who has it open works in the same one.
 */
export interface NotebookKernel {
  id(): string | undefined
  /** The name of its kernelspec, once there is a kernel. */
  kernelName(): string | undefined
  status(signal?: AbortSignal): Promise<KernelStatus>
  /** Adopts the kernel of the notebook's session, if it has one; starts nothing. Returns its id. */
  adopt(signal?: AbortSignal): Promise<string | undefined>
  /** From now on this kernel, which must be running. Answers the one before it, if that was ours and is shut down now. */
  attach(kernelId: string, signal?: AbortSignal): Promise<{ readonly shutDown: string | undefined }>
  /** A living kernel with an open connection: the one there is, the session's, or a new one. */
  ready(signal?: AbortSignal): Promise<ReadyKernel>
  interrupt(signal?: AbortSignal): Promise<void>
  /** Keeps the kernel's id; a kernel that is gone is replaced by a new one, which is said. */
  restart(signal?: AbortSignal): Promise<{ readonly kernelId: string; readonly replaced: boolean }>
  /** After the notebook's file was renamed. */
  moveTo(path: string, signal?: AbortSignal): Promise<void>
  /** Lets the kernel go for a while, to make room for others: the next `ready` finds another, and says so. */
  cull(): Promise<void>
  /** Shuts the kernel down if we started it, and leaves it to its owner otherwise. May be called again. */
  release(): Promise<{ readonly shutDown: boolean }>
}
