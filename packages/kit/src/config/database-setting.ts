import { z } from 'zod'
import { defineSettings } from './settings.ts'

/** Where a service keeps what it has: `what` names it for the help. */
export function databaseSettingOf({ prefix, what }: { readonly prefix: string; readonly what: string }) {
  return defineSettings({
    database: {
      flag: 'database',
      value: 'URL',
      env: [`${prefix}_DATABASE_URL`, 'DATABASE_URL'],
      secret: true,
      schema: z
        .string()
        .regex(/^(?:sqlite:.|postgres(?:ql)?:\/\/)/, 'must be sqlite:PATH or postgres://user@host/database')
        .optional(),
      help: `where ${what} are kept: sqlite:PATH or postgres://… (default: quire.db in the data folder)`,
    },
  })
}
