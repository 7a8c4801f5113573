import type { Setting } from '@quire/kit/config/settings'
import type { z } from 'zod'

/** A service that issues keys of its own. */
export interface KeyService {
  /** Of its commands, and of its keys in the database. */
  readonly name: string
  readonly scopes: readonly string[]
  /** Where its keys are kept. */
  readonly databaseSetting: { readonly database: Setting<z.ZodType<string | undefined>> }
}
