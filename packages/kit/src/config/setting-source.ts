import { readFileSync } from 'node:fs'
import type { Setting } from './settings.ts'

export interface ConfigSources {
  /** By the flag's name without dashes. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly file?: { readonly path: string; readonly values: Readonly<Record<string, unknown>> }
}

export interface Found {
  readonly value: unknown
  /** Where it came from, in words: `the flag --port`. */
  readonly origin: string
}

/** A source that is there and cannot be used. Its text is for the person who wrote it. */
export class SourceFault extends Error {
  readonly origin: string

  constructor(origin: string, message: string) {
    super(message)
    this.origin = origin
  }
}

/** Flags before environment before file; undefined when none of them says anything. */
export function findValue(setting: Setting, sources: ConfigSources): Found | undefined {
  return fromFlags(setting, sources) ?? fromEnvironment(setting, sources) ?? fromFile(setting, sources)
}

function fromFlags(setting: Setting, { flags = {} }: ConfigSources): Found | undefined {
  const { flag, flagAliases = [] } = setting
  for (const name of flag === undefined ? [] : [flag, ...flagAliases]) {
    const value = flags[name]
    if (value !== undefined && !saysNothing(setting, value)) return { value, origin: `the flag --${name}` }
  }
  return undefined
}

function fromEnvironment(setting: Setting, { env = {} }: ConfigSources): Found | undefined {
  for (const variable of setting.env ?? []) {
    const value = saysNothing(setting, env[variable]) ? undefined : env[variable]
    const path = setting.secret ? env[`${variable}_FILE`] : undefined
    if (value && path)
      throw new SourceFault(`${variable} and ${variable}_FILE`, 'are both set: keep one of them')
    if (value) return fromText(setting, value, `the environment variable ${variable}`)
    if (path) return fromText(setting, readSecret(path, variable), `the file ${path} (${variable}_FILE)`)
  }
  return undefined
}

function saysNothing({ unset }: Setting, value: unknown): boolean {
  return unset !== undefined && (value === '' || unset.includes(String(value).toLowerCase()))
}

function readSecret(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SourceFault(`the file ${path} (${variable}_FILE)`, `cannot be read: ${reason}`)
  }
}

function fromText(setting: Setting, text: string, origin: string): Found {
  if (setting.list) return { value: toList(text, origin), origin }
  const isSwitch = setting.flag !== undefined && setting.value === undefined
  return { value: isSwitch ? toSwitch(text, origin) : text, origin }
}

/** Separated by commas or lines. A list that somebody set and that names nobody is a mistake, and one that could open a door. */
function toList(text: string, origin: string): readonly string[] {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean)
  if (parts.length === 0)
    throw new SourceFault(origin, 'is set but names nothing: give a value, or leave it out')
  return parts
}

function toSwitch(text: string, origin: string): boolean {
  if (/^(1|t|true|y|yes|on)$/i.test(text)) return true
  if (/^(0|f|false|n|no|off)$/i.test(text)) return false
  throw new SourceFault(origin, 'must be 1 or 0 (or true, false, yes, no, on, off)')
}

function fromFile({ key }: Setting, { file }: ConfigSources): Found | undefined {
  const value = key === undefined ? undefined : file?.values[key]
  return value === undefined ? undefined : { value, origin: `"${key}" in ${file?.path}` }
}
