import type { Authentication } from '@quire/kit/auth/bearer'
import type { Principal } from '@quire/kit/auth/principal'
import type { FieldError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import type { Store } from '@quire/kit/store/store'
import type { Sse } from '@quire/kit/stream/sse'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { TeamDraft } from '../team.ts'
import type { Teams } from '../teams.ts'

/** All that the API is a face of. Each file of routes takes the few that it needs. */
export interface TeamsParts {
  readonly version: string
  readonly teams: Teams
  /** Names in it that lead nowhere here: models, toolsets, agents; prices that nobody knows. Each with its place in the draft. */
  readonly faultsIn: (draft: TeamDraft) => Promise<readonly FieldError[]>
  /** The model of a member that names none. */
  readonly defaultModel: string
  readonly toolsets: Pick<Toolsets, 'status'>
  /** Without these the service is not ready. */
  readonly requiredToolsets: readonly string[]
  readonly store: Pick<Store, 'ping'>
  readonly sse: Pick<Sse, 'response' | 'readers'>
  readonly logger: Logger
  /** Where clients reach the service, with the prefix it is mounted under. */
  readonly publicUrl?: string | undefined
  /** Of the app that it is mounted on. */
  readonly authentication?: Authentication | undefined
  /** Aborted when those who came without a key may no longer stay. */
  readonly streamEnd: (principal: Principal) => AbortSignal | undefined
  readonly isStopping: () => boolean
}
