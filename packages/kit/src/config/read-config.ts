import { readFileSync } from 'node:fs'
import { ConfigError, type ConfigFault } from './config-error.ts'
import type { ConfigOf, Setting, Settings } from './settings.ts'

export interface ConfigSources {
  /** By the flag's name without dashes. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly file?: { readonly path: string; readonly values: Readonly<Record<string, unknown>> }
}

interface Found {
  readonly value: unknown
  /** Where it came from, in words: `the flag --port`. */
  readonly origin: string
}

/**
 * Flags before environment before file before default, checked as a whole and frozen. Every fault is reported at once, each with the setting's name
 * and where its value came from; the value of a secret is never part of it.
 */
export function readConfig<S extends Settings>(settings: S, sources: ConfigSources): ConfigOf<S> {
  const faults: ConfigFault[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const found = find(name, setting, sources, faults)
    if (!found && faults.some((fault) => fault.setting === nameOf(name, setting))) continue
    const parsed = setting.schema.safeParse(found?.value)
    if (parsed.success) config[name] = parsed.data
    else faults.push(toFault(name, setting, found, parsed.error.issues[0]?.message ?? 'is not valid'))
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

function find(
  name: string,
  setting: Setting,
  sources: ConfigSources,
  faults: ConfigFault[],
): Found | undefined {
  return (
    fromFlags(setting, sources) ??
    fromEnvironment(name, setting, sources, faults) ??
    fromFile(setting, sources)
  )
}

function fromFlags({ flag }: Setting, { flags }: ConfigSources): Found | undefined {
  const value = flag === undefined ? undefined : flags?.[flag]
  return value === undefined ? undefined : { value, origin: `the flag --${flag}` }
}

function fromEnvironment(
  name: string,
  setting: Setting,
  { env = {} }: ConfigSources,
  faults: ConfigFault[],
): Found | undefined {
  for (const variable of setting.env ?? []) {
    const value = env[variable]
    const path = setting.secret ? env[`${variable}_FILE`] : undefined
    if (value && path) {
      faults.push({
        setting: nameOf(name, setting),
        origin: `${variable} and ${variable}_FILE`,
        message: 'are both set: keep one of them',
      })
      return undefined
    }
    if (value) return { value: split(setting, value), origin: `the environment variable ${variable}` }
    if (path) return fromSecretFile(name, setting, `${variable}_FILE`, path, faults)
  }
  return undefined
}

function fromSecretFile(
  name: string,
  setting: Setting,
  variable: string,
  path: string,
  faults: ConfigFault[],
): Found | undefined {
  const origin = `the file ${path} (${variable})`
  try {
    return { value: split(setting, readFileSync(path, 'utf8').trim()), origin }
  } catch (error) {
    faults.push({
      setting: nameOf(name, setting),
      origin,
      message: `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    })
    return undefined
  }
}

function fromFile({ key }: Setting, { file }: ConfigSources): Found | undefined {
  const value = key === undefined ? undefined : file?.values[key]
  return value === undefined ? undefined : { value, origin: `"${key}" in ${file?.path}` }
}

function split({ list }: Setting, value: string): unknown {
  if (!list) return value
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

function toFault(name: string, setting: Setting, found: Found | undefined, message: string): ConfigFault {
  const shown = setting.secret || found === undefined ? '' : ` ${JSON.stringify(found.value)}`
  return {
    setting: nameOf(name, setting),
    origin: found ? `${found.origin}${shown}` : 'no value given',
    message,
  }
}

function nameOf(name: string, { flag, env }: Setting): string {
  return flag === undefined ? (env?.[0] ?? name) : `--${flag}`
}
