/** A message of the Jupyter protocol, as objects: the wire's two forms are the business of whoever serves it. */
export interface KernelMessage {
  readonly channel: 'shell' | 'control' | 'stdin' | 'iopub'
  readonly header: Readonly<Record<string, unknown>> & { readonly msg_id: string; readonly msg_type: string }
  readonly parent_header: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly content: Readonly<Record<string, unknown>>
  readonly buffers?: readonly Uint8Array[]
}

export type KernelState = 'starting' | 'idle' | 'busy' | 'restarting' | 'dead'

/** One running kernel. It lives until it is closed; when its process dies by itself it says so and starts a new one. */
export interface Kernel {
  readonly id: string
  state(): KernelState
  /** ISO 8601, of the last message in either direction. */
  lastActivity(): string
  /** From a client. Replies go to `onMessage` listeners like everything else; `parent_header` tells whose they are. */
  send(message: KernelMessage): void
  /** Everything the kernel says, in order; returns the function that ends it. */
  onMessage(listener: (message: KernelMessage) => void): () => void
  /** The running code ends with KeyboardInterrupt; where it does not within a moment, the process is replaced, and that is said. */
  interrupt(): Promise<void>
  /** Resolves when the new one answers. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface KernelSpec {
  readonly name: string
  readonly displayName: string
  readonly language: string
}

export interface KernelStart {
  readonly specName: string
  /** All that the kernel may touch. */
  readonly folder: string
  /** Of the notebook within it: code runs in the folder where that is. */
  readonly path: string
}

export interface Kernels {
  readonly specs: readonly KernelSpec[]
  /** Answers at once; the kernel may still be starting. */
  start(options: KernelStart): Kernel
}
