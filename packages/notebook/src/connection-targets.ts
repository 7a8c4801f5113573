import type { ServerTarget } from './upstream/server.ts'

/** Where documents are stored and where code runs. One object for both where it is one server, so that one login serves both. */
export interface ConnectionTargets {
  readonly document: ServerTarget
  readonly sandbox: ServerTarget
  /** The notebook that is open from the start, under the name `default`. */
  readonly documentId?: string | undefined
  /** The kernel that this notebook is attached to. */
  readonly kernelId?: string | undefined
}
