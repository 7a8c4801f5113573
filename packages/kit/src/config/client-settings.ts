import { z } from 'zod'
import { parseRateLimits } from '../rate-limit/rate-limits.ts'
import { defineSettings } from './settings.ts'

const Key = z.string().min(16, 'must have at least 16 characters, such as "openssl rand -hex 32" makes them')

export interface ClientSettingsOptions {
  /** Of its environment variables. */
  readonly prefix: string
  /** As in `--insecure-NAME-noauth`. */
  readonly name: string
  /** Of limits, for the help. */
  readonly limitsExample: string
}

/** Whom a service lets in, and how often. */
export function clientSettings({ prefix, name, limitsExample }: ClientSettingsOptions) {
  return defineSettings({
    apiKeys: {
      flag: 'api-key',
      value: 'KEY',
      env: [`${prefix}_API_KEYS`],
      secret: true,
      list: true,
      schema: z.array(Key).default([]),
      help: 'ask clients for this key; may be given several times, and turns authentication on',
    },
    rateLimits: {
      flag: 'rate-limit',
      value: 'LIMITS',
      env: [`${prefix}_RATE_LIMIT`],
      schema: z.string().transform(parseRateLimits).optional(),
      help: `requests per key, else per address, such as ${limitsExample} (default: no limits)`,
    },
    insecureNoauth: {
      flag: `insecure-${name}-noauth`,
      env: [`${prefix}_INSECURE_NOAUTH`],
      schema: z.boolean().default(false),
      help: 'let everybody in who can reach the address, whatever keys were issued',
    },
  })
}
