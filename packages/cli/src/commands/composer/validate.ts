import { validateSettings } from '@quire/composer/settings'
import { configFrom } from '../../config.ts'
import { loadConfig } from './load-config.ts'

/** Looks whether a file is in order. Starts nothing. */
export async function runComposerValidate(
  flags: Record<string, unknown>,
  output: NodeJS.WritableStream,
): Promise<void> {
  const { path, config, warnings } = await loadConfig(configFrom(validateSettings, flags).config)
  for (const { line, column, path: key, message } of warnings)
    output.write(`warning: line ${line}, column ${column}: ${key} ${message}\n`)
  const names = config.servers.map(({ name, transport }) => `${name} (${transport})`)
  output.write(`${path} is in order. Servers: ${names.join(', ') || 'none'}.\n`)
}
