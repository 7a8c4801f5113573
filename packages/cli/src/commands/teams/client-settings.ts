import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'

/** Of all commands that ask a team service. */
export const clientSettings = defineSettings({
  url: {
    flag: 'url',
    value: 'URL',
    env: ['TEAMS_URL'],
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .default('http://127.0.0.1:8766'),
    help: 'where the team service is (default http://127.0.0.1:8766; that of "quire up" is http://127.0.0.1:7878/teams)',
  },
  key: {
    flag: 'key',
    value: 'KEY',
    env: ['TEAMS_API_KEY'],
    secret: true,
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'must be one word of visible ASCII characters')
      .optional(),
    help: 'the key to send to it, better as TEAMS_API_KEY, or in the file that TEAMS_API_KEY_FILE names',
  },
  json: {
    flag: 'json',
    schema: z.boolean().default(false),
    help: 'print JSON',
  },
})
