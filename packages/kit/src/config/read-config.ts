import { createRedactor } from '../redact.ts'
import { ConfigError, type ConfigFault } from './config-error.ts'
import { type ConfigSources, type Found, findValue, SourceFault } from './setting-source.ts'
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
  const refuse = (message = 'is not valid'): never => {
    throw new SourceFault(describe(found, setting), message)
  }
  const parsed = parse(setting, found?.value, refuse)
  return parsed.success ? parsed.data : refuse(parsed.error.issues[0]?.message)
}

/** A transformation that throws says what is wrong as well as a refinement does. */
function parse({ schema, secret }: Setting, value: unknown, refuse: (message?: string) => never) {
  try {
    return schema.safeParse(value)
  } catch (error) {
    return refuse(secret || !(error instanceof Error) ? undefined : error.message)
  }
}

/** An address may hold a secret that belongs elsewhere; that is often the very fault. */
function describe(found: Found | undefined, { secret }: Setting): string {
  if (!found) return 'no value given'
  return secret ? found.origin : `${found.origin} ${createRedactor().text(JSON.stringify(found.value))}`
}

function nameOf(name: string, { flag, env }: Setting): string {
  return flag === undefined ? (env?.[0] ?? name) : `--${flag}`
}
