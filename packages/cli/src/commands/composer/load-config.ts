import { ComposerError } from '@quire/composer/composer-error'
import { type LoadedConfig, readConfigFile } from '@quire/composer/config/read-config-file'
import { CommandFailure } from '../../command-failure.ts'
import { environment } from '../../config.ts'

/** Reads a configuration file, or says all that is wrong with it. */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  try {
    return await readConfigFile(file, { environment: environment() })
  } catch (error) {
    if (error instanceof ComposerError) throw new CommandFailure(error.message, { cause: error })
    throw error
  }
}
