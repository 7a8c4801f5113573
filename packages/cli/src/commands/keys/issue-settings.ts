import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'

const LONGEST_DAYS = 36_500

/** What can be said of a key that is to be issued by a service with these scopes. */
export function issueSettings(scopes: readonly string[]) {
  return defineSettings({
    name: {
      flag: 'name',
      value: 'NAME',
      schema: z
        .string('is needed: say whose key it is')
        .regex(/^[A-Za-z0-9._@-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_", "@" or "-"'),
      help: 'whose key it is; keys of one name see the same',
    },
    scopes: {
      flag: 'scope',
      value: 'SCOPE',
      list: true,
      schema: z.array(z.enum(scopes, `must be one of ${scopes.join(', ')}`)).optional(),
      help: `what it may do: ${scopes.join(', ')}; may be given several times (default: all)`,
    },
    expiresInDays: {
      flag: 'expires-in-days',
      value: 'DAYS',
      schema: z.coerce
        .number('must be a number of days')
        .positive('must be more than 0 days')
        .max(LONGEST_DAYS, `must be at most ${LONGEST_DAYS} days`)
        .optional(),
      help: 'when it ends (default: never)',
    },
  })
}
