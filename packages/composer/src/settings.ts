import { serverSettings } from '@quire/kit/config/server-settings'
import { type ConfigOf, defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'

const DEFAULT_PORT = 8080
const server = serverSettings({ prefix: 'COMPOSER', port: DEFAULT_PORT })

const configSetting = defineSettings({
  config: {
    flag: 'config',
    value: 'FILE',
    env: ['COMPOSER_CONFIG'],
    schema: z.string().min(1, 'must not be empty').default('quire.toml'),
    help: 'the TOML file that names the servers (default quire.toml)',
  },
})

export const commandSetting = defineSettings({
  allowCommands: {
    flag: 'allow-command',
    value: 'PROGRAM',
    env: ['COMPOSER_ALLOW_COMMANDS'],
    list: true,
    schema: z.array(z.string().min(1, 'must not be empty')).default([]),
    help: 'let the API bring commands that run this program; may be given several times (default: only what stands in the file)',
  },
})

const keySetting = {
  value: 'KEY',
  env: ['COMPOSER_API_KEYS'],
  secret: true,
  list: true,
} as const

const Key = z.string().min(16, 'must have at least 16 characters, such as "openssl rand -hex 32" makes them')

/** Everything that `quire composer serve` can be told, by what it is about. What the file says of host, port and log level is beaten by a flag. */
export const composerSettingGroups = Object.freeze({
  'Servers:': defineSettings({
    ...configSetting,
    ...commandSetting,
  }),
  'Clients:': defineSettings({
    transport: {
      flag: 'transport',
      value: 'KIND',
      env: ['COMPOSER_TRANSPORT'],
      schema: z.enum(['http', 'stdio'], 'must be http or stdio').default('http'),
      help: 'http for everybody, stdio for the one client that starts us (default http)',
    },
    apiKeys: {
      ...keySetting,
      flag: 'api-key',
      schema: z.array(Key).default([]),
      help: 'ask clients for this key; may be given several times, and turns authentication on',
    },
    insecureNoauth: {
      flag: 'insecure-composer-noauth',
      env: ['COMPOSER_INSECURE_NOAUTH'],
      schema: z.boolean().default(false),
      help: 'let everybody in who can reach the address, from other machines too',
    },
  }),
  'HTTP server:': defineSettings({
    ...server,
    host: { ...server.host, schema: z.string().min(1, 'must not be empty').optional() },
    port: { ...server.port, schema: server.port.schema.unwrap().optional() },
    logLevel: { ...server.logLevel, schema: server.logLevel.schema.unwrap().optional() },
  }),
})

export const composerSettings = defineSettings({
  ...composerSettingGroups['Servers:'],
  ...composerSettingGroups['Clients:'],
  ...composerSettingGroups['HTTP server:'],
})
export type ComposerSettings = ConfigOf<typeof composerSettings>

/** For `quire composer validate`. */
export const validateSettings = configSetting

/** For commands that ask a composer: one that runs, or else one that they start themselves from the file. */
export const askSettings = defineSettings({
  ...configSetting,
  url: {
    flag: 'url',
    value: 'URL',
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    help: 'ask the composer that runs at this address (default: start the servers of the file, and stop them again)',
  },
  apiKey: {
    flag: 'api-key',
    value: 'KEY',
    env: ['COMPOSER_API_KEY'],
    secret: true,
    schema: z.string().optional(),
    help: 'the key to send to it',
  },
  json: {
    flag: 'json',
    schema: z.boolean().default(false),
    help: 'print JSON',
  },
})

/** For `quire composer bridge`. */
export const bridgeSettings = defineSettings({
  url: {
    flag: 'url',
    value: 'URL',
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
    help: 'the MCP server to reach, over streamable HTTP',
  },
  token: {
    flag: 'token',
    value: 'TOKEN',
    env: ['MCP_TOKEN'],
    secret: true,
    schema: z.string().optional(),
    help: 'the bearer token to send to it; MCP_TOKEN_FILE may name a file that holds it',
  },
  sse: {
    flag: 'sse',
    schema: z.boolean().default(false),
    help: 'it speaks the old transport with a separate event stream',
  },
  logLevel: server.logLevel,
})
