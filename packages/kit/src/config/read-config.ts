import { ConfigError, type ConfigFault } from './config-error.ts'
import { type ConfigSources, findValue, SourceFault } from './setting-source.ts'
import type { ConfigOf, Setting, Settings } from './settings.ts'

/**
 * Flags before environment before file before default, checked as a whole and frozen. Every fault is reported at once, each with the setting's name
 * and where its value came from; the value of a secret is never part of it.
 */
export function readConfig<S extends Settings>(settings: S, sources: ConfigSources): ConfigOf<S> {
  const faults: ConfigFault[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    try {
      config[name] = readSetting(setting, sources)
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      faults.push({ setting: nameOf(name, setting), origin: error.origin, message: error.message })
    }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config) as ConfigOf<S>
}

/** The values of a configuration that nobody may see, for the redactor. */
export function secretsOf<S extends Settings>(settings: S, config: ConfigOf<S>): readonly string[] {
  return Object.entries(settings)
    .filter(([, setting]) => setting.secret)
    .flatMap(([name]) => config[name] as unknown)
    .filter((value) => typeof value === 'string')
}

function readSetting(setting: Setting, sources: ConfigSources): unknown {
  const found = findValue(setting, sources)
  const shown = setting.secret || !found ? '' : ` ${JSON.stringify(found.value)}`
  const origin = found ? `${found.origin}${shown}` : 'no value given'
  const parsed = parse(setting, found?.value, origin)
  if (!parsed.success) throw new SourceFault(origin, parsed.error.issues[0]?.message ?? 'is not valid')
  return parsed.data
}

/** A transformation that throws says what is wrong as well as a refinement does. */
function parse({ schema, secret }: Setting, value: unknown, origin: string) {
  try {
    return schema.safeParse(value)
  } catch (error) {
    throw new SourceFault(origin, secret || !(error instanceof Error) ? 'is not valid' : error.message)
  }
}

function nameOf(name: string, { flag, env }: Setting): string {
  return flag === undefined ? (env?.[0] ?? name) : `--${flag}`
}
