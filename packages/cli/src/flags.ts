import type { Setting, Settings } from '@quire/kit/config/settings'
import { type Command, Option } from 'commander'

/** Gives a command the flags of these settings. Their values are only collected here: what they mean is for the configuration to say. */
export function addSettings(command: Command, settings: Settings, heading = 'Options:'): Command {
  for (const setting of Object.values(settings)) {
    const { flag, flagAliases = [], help, env } = setting
    if (flag === undefined) continue
    const variables = env?.length ? ` [${env.join(', ')}]` : ''
    command.addOption(optionFor(flag, setting, `${help}${variables}`).helpGroup(heading))
    for (const alias of flagAliases) command.addOption(optionFor(alias, setting, help).hideHelp())
  }
  return command
}

function optionFor(flag: string, { value, list }: Setting, help: string): Option {
  const option = new Option(value ? `--${flag} <${value}>` : `--${flag}`, help)
  if (list) option.argParser((text: string, earlier: string[] | undefined) => [...(earlier ?? []), text])
  return option
}

/** The flags that were given, by their names without dashes. */
export function flagsOf(command: Command): Record<string, unknown> {
  const values: Record<string, unknown> = command.opts()
  const given = command.options.map((option) => {
    const key = option.attributeName()
    // Commander reads "--no-images" as the switch "images" turned off, which is on when nobody says anything.
    const value = option.negate ? command.getOptionValueSource(key) === 'cli' || undefined : values[key]
    return [option.name(), value]
  })
  return Object.fromEntries(given)
}
