import type { ConfiguredDefinition } from '../server-definition.ts'

export const CONFLICT_STRATEGIES = ['prefix', 'suffix', 'ignore', 'error', 'override', 'custom'] as const
export type ConflictStrategy = (typeof CONFLICT_STRATEGIES)[number]

/** A configuration file, read, substituted, validated, and with nothing left open. */
export interface ComposerConfig {
  readonly composer: {
    /** What MCP clients are told. */
    readonly name: string
    readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
    readonly port: number | undefined
  }
  readonly transport: {
    readonly stdio: boolean
    readonly streamableHttp: { readonly enabled: boolean; readonly path: string }
    readonly sse: { readonly enabled: boolean; readonly path: string }
  }
  readonly authentication: AuthenticationSettings
  readonly authorization: AuthorizationSettings
  readonly servers: readonly ConfiguredDefinition[]
  /** Written with `enabled = false`: not part of the set, but of what the file may run. */
  readonly disabledServers?: readonly ConfiguredDefinition[]
  readonly tools: ToolSettings
  readonly api: {
    readonly enabled: boolean
    /** Such as `/api/v1`. */
    readonly pathPrefix: string
    readonly host: string | undefined
    readonly port: number | undefined
    readonly corsOrigins: readonly string[]
    readonly docs: boolean
  }
  readonly ui: { readonly enabled: boolean; readonly path: string }
  readonly monitoring: {
    readonly metrics: { readonly enabled: boolean; readonly path: string }
    /** Servers' own lines in our logs. */
    readonly aggregateServerLogs: boolean
    readonly logFormat: 'json' | 'text' | undefined
    readonly logFile: string | undefined
    readonly auditFile: string | undefined
  }
}

export interface AuthenticationSettings {
  readonly enabled: boolean
  readonly apiKeys: readonly ApiKeySettings[]
  readonly jwt: JwtSettings | undefined
}

export interface ApiKeySettings {
  readonly key: string
  /** Who holds it: in the audit log, and for limits. */
  readonly subject: string
  /** Absent: all. */
  readonly scopes: readonly string[] | undefined
  readonly roles: readonly string[]
}

export interface JwtSettings {
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
  /** The claim that lists roles. */
  readonly rolesClaim: string
}

export interface AuthorizationSettings {
  readonly enabled: boolean
  readonly roles: readonly RoleSettings[]
  readonly rateLimit:
    | { readonly perMinute: number; readonly perRole: Readonly<Record<string, number>> }
    | undefined
}

export interface RoleSettings {
  readonly name: string
  /** Glob patterns over `server:tool`. */
  readonly tools: readonly string[]
  readonly scopes: readonly string[]
}

export interface ToolSettings {
  readonly strategy: ConflictStrategy
  /** The first pattern that fits the tool's own name decides. */
  readonly overrides: readonly { readonly pattern: string; readonly strategy: ConflictStrategy }[]
  /** With `{server_name}` and `{tool_name}`. */
  readonly template: string
  /** Name by name: alias to tool, given as `server:tool` or by its name on MCP. */
  readonly aliases: Readonly<Record<string, string>>
  readonly versioning: { readonly enabled: boolean; readonly allowMultiple: boolean; readonly suffix: string }
  /** `search`: clients get three tools by which they find and call all others. */
  readonly mode: 'full' | 'search'
}
