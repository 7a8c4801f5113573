import { homedir } from 'node:os'
import { join } from 'node:path'
import { commandSetting } from '@quire/composer/settings'
import { readConfig } from '@quire/kit/config/read-config'
import { serverSettings } from '@quire/kit/config/server-settings'
import { type ConfigOf, defineSettings, type Settings } from '@quire/kit/config/settings'
import { agentSettings } from '@quire/runtime/settings'
import { teamSettings } from '@quire/teams/settings'
import { z } from 'zod'

export const dataSetting = defineSettings({
  dataDir: {
    flag: 'data',
    value: 'DIR',
    env: ['QUIRE_DATA_DIR'],
    schema: z
      .string()
      .min(1, 'must not be empty')
      .default(() => defaultDataDir(process.platform, process.env)),
    help: "where Quire keeps its files (default: the platform's user data folder)",
  },
})

/** What teams have beyond agents. */
const { concurrency, allowedAgents, agentKeys } = teamSettings

export const upSettings = defineSettings({
  ...serverSettings({ prefix: 'QUIRE', port: 7878 }),
  ...dataSetting,
  token: {
    env: ['QUIRE_TOKEN'],
    secret: true,
    schema: z
      .string()
      .min(16, 'must have at least 16 characters: "quire token make" makes a good one')
      .regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'may hold only letters, digits and - . _ ~ + /')
      .optional(),
    help: 'the token that clients must send (default: one made at the first start)',
  },
  notebooks: {
    flag: 'notebooks',
    value: 'DIR',
    env: ['QUIRE_NOTEBOOKS'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'the folder of notebooks (default: notebooks in the data folder); not used where NOTEBOOK_URL names a notebook server',
  },
  withJupyter: {
    flag: 'with-jupyter',
    env: ['QUIRE_WITH_JUPYTER'],
    schema: z.boolean().default(false),
    help: 'start the Jupyter of this machine on the folder of notebooks, in place of the embedded notebook server: for packages and data that Python in WebAssembly does not reach',
  },
  allowHostExecution: {
    flag: 'allow-host-execution',
    env: ['QUIRE_ALLOW_HOST_EXECUTION'],
    schema: z.boolean().default(false),
    help: 'let agents, and members of teams, run code in a Jupyter without asking: it can do all that you can (default: agents ask for each call, members may not; on the embedded server both may)',
  },
  composerConfig: {
    flag: 'composer-config',
    value: 'FILE',
    env: ['COMPOSER_CONFIG'],
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'the TOML file of the composer (default: composer/quire.toml in the data folder)',
  },
  ...commandSetting,
  ...agentSettings,
  concurrency,
  allowedAgents,
  agentKeys,
  insecureNoauth: {
    flag: 'insecure-noauth',
    schema: z.boolean().default(false),
    help: 'let everybody on this machine in without a token',
  },
})

export type UpConfig = ConfigOf<typeof upSettings>

/** The one place where the command line reads the environment. */
export function configFrom<S extends Settings>(
  settings: S,
  flags: Readonly<Record<string, unknown>>,
): ConfigOf<S> {
  return readConfig(settings, { flags, env: process.env })
}

export function defaultDataDir(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Quire')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Quire')
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'quire')
}

/** For what looks up variables by name: a configuration file, the programs that we start. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
