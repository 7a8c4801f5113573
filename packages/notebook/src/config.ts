import type { ConnectionTargets } from './connection-targets.ts'

/** What the notebook service is made with, however it is reached. */
export interface NotebookConfig {
  readonly version: string
  readonly targets: ConnectionTargets
  /** How long an execution may take when the caller does not say. */
  readonly executionTimeoutSeconds: number
  /** The most that a caller may ask for. */
  readonly maxExecutionTimeoutSeconds: number
  /** The most text that one reply holds. */
  readonly maxOutputBytes: number
  readonly images: boolean
  readonly readOnly: boolean
  /** Empty: every path. */
  readonly allowedPaths: readonly string[]
  /** A line of JSON for every tool call. */
  readonly auditFile?: string | undefined
  /** Code in spans and audit lines, which may hold secrets. */
  readonly recordCode: boolean
  /** The notebook server has started us for itself: there is no other to connect to. */
  readonly isExtension?: boolean
}
