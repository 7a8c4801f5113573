import type { Principal } from '@quire/kit/auth/principal'
import type { FieldError } from '@quire/kit/errors'
import type { Redactor } from '@quire/kit/redact'
import type { WebSocketStreams } from '@quire/kit/stream/websocket-route'
import type { AccessView } from '../access/access.ts'
import type { AuditEntry } from '../audit/audit.ts'
import type { Calls } from '../calls/calls.ts'
import type { ComposedCatalog, ToolEntry } from '../catalog/composed-catalog.ts'
import type { LogBook } from '../logs/log-book.ts'
import type { ComposerMetrics } from '../metrics/composer-metrics.ts'
import type { Params } from '../rpc.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { Translators } from '../translators/translators.ts'
import type { ConfigService } from './config-service.ts'

/** All that the API is a face of. Each file of routes takes the few that it needs. */
export interface ComposerParts {
  readonly version: string
  readonly supervisor: Pick<Supervisor, 'servers' | 'find'>
  readonly catalog: Pick<
    ComposedCatalog,
    | 'findTool'
    | 'search'
    | 'prompts'
    | 'findPrompt'
    | 'resources'
    | 'templates'
    | 'serverOf'
    | 'conflicts'
    | 'approve'
  >
  readonly calls: Pick<Calls, 'request' | 'status'>
  readonly config: ConfigService
  readonly translators: Pick<Translators, 'list' | 'create' | 'remove'>
  readonly logBook: Pick<LogBook, 'read'>
  readonly metrics: Pick<ComposerMetrics, 'snapshot'>
  readonly streams: Pick<WebSocketStreams, 'route' | 'size'>
  readonly redactor: Pick<Redactor, 'text' | 'record'>
  /** What a caller may see; undefined: everything. */
  readonly viewOf: (principal: Principal) => AccessView | undefined
  /** Counts one call; throws a `CallerError` (429) when there were too many. */
  readonly limit: (principal: Principal) => Promise<void>
  /** What is wrong with the arguments, by the tool's own schema. */
  readonly checkArguments: (entry: ToolEntry, args: Params) => readonly FieldError[]
  /** Whatever was done, for the audit log and the counts. */
  readonly record: (entry: AuditEntry) => void
  /** Whether a configuration has been applied. */
  readonly isReady: () => boolean
  readonly uptimeSeconds: () => number
  /** The strategy of the present configuration. */
  readonly conflictResolution: () => string
}
