import type { Settings } from '@quire/kit/config/settings'
import { type Command, Option } from 'commander'

/** Gives a command the flags of these settings. Their values are only collected here: what they mean is for the configuration to say. */
export function addSettings(command: Command, settings: Settings): Command {
  for (const { flag, value, help, env, list } of Object.values(settings)) {
    if (flag === undefined) continue
    const variables = env?.length ? ` [${env[0]}]` : ''
    const option = new Option(value ? `--${flag} <${value}>` : `--${flag}`, `${help}${variables}`)
    if (list) option.argParser((text: string, earlier: string[] | undefined) => [...(earlier ?? []), text])
    command.addOption(option)
  }
  return command
}

/** The flags that were given, by their names without dashes. */
export function flagsOf(command: Command): Record<string, unknown> {
  const values: Record<string, unknown> = command.opts()
  return Object.fromEntries(command.options.map((option) => [option.name(), values[option.attributeName()]]))
}
