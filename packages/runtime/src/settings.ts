import { serverSettings } from '@quire/kit/config/server-settings'
import { type ConfigOf, defineSettings } from '@quire/kit/config/settings'
import { parseRateLimits } from '@quire/kit/rate-limit/rate-limits'
import { z } from 'zod'

const DEFAULT_PORT = 8765
const LONGEST_KEPT_DAYS = 36_500
const notEmpty = z.string().min(1, 'must not be empty')
const Key = z.string().min(16, 'must have at least 16 characters, such as "openssl rand -hex 32" makes them')

/** Where agents, conversations and issued keys are. */
export const databaseSetting = defineSettings({
  database: {
    flag: 'database',
    value: 'URL',
    env: ['RUNTIME_DATABASE_URL', 'DATABASE_URL'],
    secret: true,
    schema: z
      .string()
      .regex(/^(?:sqlite:.|postgres(?:ql)?:\/\/)/, 'must be sqlite:PATH or postgres://user@host/database')
      .optional(),
    help: 'where agents, conversations and keys are kept: sqlite:PATH or postgres://… (default: quire.db in the data folder)',
  },
})

/** What agents work with. Of `quire up`, too. */
export const agentSettings = defineSettings({
  ...databaseSetting,
  model: {
    flag: 'model',
    value: 'PROVIDER:MODEL',
    env: ['RUNTIME_MODEL'],
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]*:\S+$/, 'must be provider:model, such as openai:gpt-5')
      .default('builtin:guide'),
    help: 'the model of agents that name none (default builtin:guide, which needs no key)',
  },
  mcpConfig: {
    flag: 'mcp-config',
    value: 'FILE',
    env: ['RUNTIME_MCP_CONFIG'],
    schema: notEmpty.optional(),
    help: 'the file that names the MCP servers of the toolsets (default: mcp.json in the data folder, where there is one)',
  },
  requiredToolsets: {
    flag: 'require-toolset',
    value: 'NAME',
    env: ['RUNTIME_REQUIRE_TOOLSETS'],
    list: true,
    schema: z.array(notEmpty).default([]),
    help: 'be ready only when this toolset is; may be given several times',
  },
  keepConversations: {
    flag: 'keep-conversations',
    value: 'DAYS',
    env: ['RUNTIME_KEEP_CONVERSATIONS'],
    schema: z.coerce
      .number('must be a number of days')
      .positive('must be more than 0 days')
      .max(LONGEST_KEPT_DAYS, `must be at most ${LONGEST_KEPT_DAYS} days`)
      .optional(),
    help: 'remove conversations that nobody has used for so many days (default: keep them for ever)',
  },
})

/** Everything that `quire runtime serve` can be told, by what it is about. */
export const runtimeSettingGroups = Object.freeze({
  'Agents:': agentSettings,
  'Clients:': defineSettings({
    apiKeys: {
      flag: 'api-key',
      value: 'KEY',
      env: ['RUNTIME_API_KEYS'],
      secret: true,
      list: true,
      schema: z.array(Key).default([]),
      help: 'ask clients for this key; may be given several times, and turns authentication on',
    },
    rateLimits: {
      flag: 'rate-limit',
      value: 'LIMITS',
      env: ['RUNTIME_RATE_LIMIT'],
      schema: z.string().transform(parseRateLimits).optional(),
      help: "requests per key, else per address, such as 'promptAgent=60/m,default=600/m' (default: no limits)",
    },
    insecureNoauth: {
      flag: 'insecure-runtime-noauth',
      env: ['RUNTIME_INSECURE_NOAUTH'],
      schema: z.boolean().default(false),
      help: 'let everybody in who can reach the address, whatever keys were issued',
    },
  }),
  'HTTP server:': serverSettings({ prefix: 'RUNTIME', port: DEFAULT_PORT }),
})

export const runtimeSettings = defineSettings({
  ...runtimeSettingGroups['Agents:'],
  ...runtimeSettingGroups['Clients:'],
  ...runtimeSettingGroups['HTTP server:'],
})
export type RuntimeSettings = ConfigOf<typeof runtimeSettings>
