import { clientSettings } from '@quire/kit/config/client-settings'
import { ConfigError } from '@quire/kit/config/config-error'
import { databaseSettingOf } from '@quire/kit/config/database-setting'
import { serverSettings } from '@quire/kit/config/server-settings'
import { type ConfigOf, defineSettings } from '@quire/kit/config/settings'
import { toolsetSettings } from '@quire/mcp/toolsets/settings'
import { z } from 'zod'
import { type AllowedAgents, createAddressReader } from './members/agent-address.ts'

const DEFAULT_PORT = 8766
const MOST_TASKS_AT_ONCE = 1_000
const LONGEST_SILENCE_SECONDS = 3_600
const AGENTS_ADDRESS = 'must be where a runtime has its agents, such as http://127.0.0.1:8765/api/v1/agents/'
const AGENT_KEY = /^(?<url>https?:\/\/[^=]+)=(?<key>[\x21-\x7e]+)$/

export const databaseSetting = databaseSettingOf({ prefix: 'TEAMS', what: 'teams, tasks and keys' })

/** What teams work with. Of `quire up`, too. */
export const teamSettings = defineSettings({
  ...databaseSetting,
  model: {
    flag: 'model',
    value: 'PROVIDER:MODEL',
    env: ['TEAMS_MODEL'],
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]*:\S+$/, 'must be provider:model, such as openai:gpt-5')
      .default('builtin:guide'),
    help: 'the model of members that name none (default builtin:guide, which needs no key)',
  },
  modelTimeout: {
    flag: 'model-timeout',
    value: 'SECONDS',
    env: ['TEAMS_MODEL_TIMEOUT'],
    schema: z.coerce
      .number('must be a number of seconds')
      .min(1, 'must be at least 1 second')
      .max(LONGEST_SILENCE_SECONDS, `must be at most ${LONGEST_SILENCE_SECONDS} seconds`)
      .default(120),
    help: 'give a model up that says nothing for so long; before its first word it is asked once more (default 120)',
  },
  ...toolsetSettings({ prefix: 'TEAMS' }),
  concurrency: {
    flag: 'concurrency',
    value: 'COUNT',
    env: ['TEAMS_CONCURRENCY'],
    schema: z.coerce
      .number('must be a number')
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(MOST_TASKS_AT_ONCE, `must be at most ${MOST_TASKS_AT_ONCE}`)
      .optional(),
    help: 'how many tasks this process works on at the same time',
  },
  allowedAgents: {
    flag: 'allow-agent',
    value: 'URL',
    env: ['TEAMS_ALLOW_AGENTS'],
    list: true,
    schema: z.array(z.string().refine(isAgentsAddress, AGENTS_ADDRESS)).default([]),
    help: 'let members be agents of the runtime at this address, such as http://127.0.0.1:8765/api/v1/agents/; may be given several times',
  },
  agentKeys: {
    env: ['TEAMS_AGENT_KEYS'],
    secret: true,
    list: true,
    schema: z
      .array(z.string().refine((text) => AGENT_KEY.test(text), 'must be URL=KEY, with commas in between'))
      .default([]),
    help: 'the keys for addresses of --allow-agent, as URL=KEY',
  },
})

/** Everything that `quire teams serve` can be told, by what it is about. */
export const teamsSettingGroups = Object.freeze({
  'Teams:': teamSettings,
  'Clients:': clientSettings({
    prefix: 'TEAMS',
    name: 'teams',
    limitsExample: "'createTask=60/m,default=600/m'",
  }),
  'HTTP server:': serverSettings({ prefix: 'TEAMS', port: DEFAULT_PORT }),
})

export const teamsSettings = defineSettings({
  ...teamsSettingGroups['Teams:'],
  ...teamsSettingGroups['Clients:'],
  ...teamsSettingGroups['HTTP server:'],
})
export type TeamsSettings = ConfigOf<typeof teamsSettings>

/** Those that members may be at, each with its key. Throws for a key that is for none of them. */
export function allowedAgentsOf(
  settings: Pick<TeamsSettings, 'allowedAgents' | 'agentKeys'>,
): readonly AllowedAgents[] {
  const keys = new Map(settings.agentKeys.map((text) => toUrlAndKey(text)))
  const unused = [...keys.keys()].filter((url) => !settings.allowedAgents.includes(url))
  if (unused.length > 0) {
    const message = 'has a key, and is not allowed: name it by --allow-agent, in the same spelling'
    throw new ConfigError(unused.map((url) => ({ setting: 'TEAMS_AGENT_KEYS', origin: url, message })))
  }
  return settings.allowedAgents.map((url) => {
    const key = keys.get(url)
    return { url, ...(key !== undefined && { key }) }
  })
}

function toUrlAndKey(text: string): [url: string, key: string] {
  const { url = '', key = '' } = AGENT_KEY.exec(text)?.groups ?? {}
  return [url, key]
}

function isAgentsAddress(url: string): boolean {
  try {
    createAddressReader([{ url }])
    return true
  } catch {
    return false
  }
}
