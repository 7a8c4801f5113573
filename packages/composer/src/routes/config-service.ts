import type { ConfigFault } from '../config/config-fault.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerChanges } from '../supervisor/supervisor.ts'

/** One of the two, as it came. */
export interface ConfigChange {
  readonly document?: unknown
  /** TOML. */
  readonly text?: string | undefined
  /** What the change was made from; absent: whatever is there is replaced. */
  readonly revision?: string | undefined
}

/** The configuration file, and the running composer that follows it. What it gives out has its secrets masked. */
export interface ConfigService {
  current(): {
    readonly document: object
    /** TOML with its comments. */
    readonly text: string
    readonly path: string
    readonly revision: string
  }
  /** Writes and applies. Rejects with a `ComposerError` and changes nothing: `CONFIG_INVALID` with every fault, `CONFIG_CONFLICT`, `COMMAND_NOT_ALLOWED`. */
  replace(change: ConfigChange): Promise<AppliedConfig>
  /** Pure. */
  validate(change: ConfigChange): ConfigVerdict | Promise<ConfigVerdict>
  /** Reads the file again. Rejects with a `ComposerError` and changes nothing. */
  reload(): Promise<AppliedConfig>
}

export interface AppliedConfig {
  readonly document: object
  readonly changes: ServerChanges
  /** What of it takes effect only at the next start, such as `composer.port`. */
  readonly restartRequired: readonly string[]
}

export interface ConfigVerdict {
  readonly valid: boolean
  /** What is no text has no lines. */
  readonly errors: readonly (Pick<ConfigFault, 'path' | 'message'> & Partial<ConfigFault>)[]
  readonly warnings: readonly ConfigFault[]
  /** Of a valid one. */
  readonly next?: NextConfig
}

/** What would be applied. */
export interface NextConfig {
  readonly servers: readonly ServerDefinition[]
  /** Names of servers that count as changed, whatever they are compared with. */
  readonly rewritten: ReadonlySet<string>
  readonly restartRequired: readonly string[]
  /** Why it would be refused, though it is in order: what it runs may not be brought over the API. */
  readonly refusals: readonly ConfigFault[]
}
