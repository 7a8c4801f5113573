import { homedir } from 'node:os'
import { join } from 'node:path'
import { defineSettings } from '@quire/kit/config/settings'
import { z } from 'zod'

/** What `quire notebook install-extension` can be told. */
export const extensionSettings = defineSettings({
  user: {
    flag: 'user',
    schema: z.boolean().default(false),
    help: 'for all Jupyter servers of this user (this is what it does when nothing is said)',
  },
  userDir: {
    env: ['JUPYTER_CONFIG_DIR'],
    schema: z
      .string()
      .min(1, 'must not be empty')
      .default(() => join(homedir(), '.jupyter')),
    help: "where Jupyter keeps this user's configuration",
  },
  sysPrefix: {
    flag: 'sys-prefix',
    schema: z.boolean().default(false),
    help: 'for the Python environment of the "python3" that is found first',
  },
  configDir: {
    flag: 'config-dir',
    flagAliases: ['path'],
    value: 'DIR',
    schema: z.string().min(1, 'must not be empty').optional(),
    help: 'for the Jupyter servers that read this folder; "jupyter --paths" lists a server\'s',
  },
  uninstall: {
    flag: 'uninstall',
    flagAliases: ['remove'],
    schema: z.boolean().default(false),
    help: 'take out again what was written there',
  },
})
