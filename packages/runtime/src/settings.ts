import { clientSettings } from '@quire/kit/config/client-settings'
import { databaseSettingOf } from '@quire/kit/config/database-setting'
import { serverSettings } from '@quire/kit/config/server-settings'
import { type ConfigOf, defineSettings } from '@quire/kit/config/settings'
import { toolsetSettings } from '@quire/mcp/toolsets/settings'
import { z } from 'zod'

const DEFAULT_PORT = 8765
const LONGEST_KEPT_DAYS = 36_500
const LONGEST_SILENCE_SECONDS = 3_600

export const databaseSetting = databaseSettingOf({
  prefix: 'RUNTIME',
  what: 'agents, conversations and keys',
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
  modelTimeout: {
    flag: 'model-timeout',
    value: 'SECONDS',
    env: ['RUNTIME_MODEL_TIMEOUT'],
    schema: z.coerce
      .number('must be a number of seconds')
      .min(1, 'must be at least 1 second')
      .max(LONGEST_SILENCE_SECONDS, `must be at most ${LONGEST_SILENCE_SECONDS} seconds`)
      .default(120),
    help: 'give a model up that says nothing for so long; before its first word it is asked once more (default 120)',
  },
  ...toolsetSettings({ prefix: 'RUNTIME' }),
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
  'Clients:': clientSettings({
    prefix: 'RUNTIME',
    name: 'runtime',
    limitsExample: "'prompt=60/m,default=600/m', where prompt stands for all ways to prompt an agent",
  }),
  'HTTP server:': serverSettings({ prefix: 'RUNTIME', port: DEFAULT_PORT }),
})

export const runtimeSettings = defineSettings({
  ...runtimeSettingGroups['Agents:'],
  ...runtimeSettingGroups['Clients:'],
  ...runtimeSettingGroups['HTTP server:'],
})
export type RuntimeSettings = ConfigOf<typeof runtimeSettings>
