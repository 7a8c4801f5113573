import type { z } from 'zod'

/**
 * One setting of a service: what it means, where it may come from, and what it must look like. The command line, its help text, the environment
 * and the configuration file are all read from this one description.
 */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema
  /** One line for `--help`. */
  readonly help: string
  /** The flag without its dashes. */
  readonly flag?: string
  /** Other names of the flag, which are taken and not shown. */
  readonly flagAliases?: readonly string[]
  /** Shown behind the flag, such as `PORT`; a setting without one is a switch. */
  readonly value?: string
  /** Environment variables, the first one preferred. A secret may also come from the file that `…_FILE` names. */
  readonly env?: readonly string[]
  /** The key in the configuration file. */
  readonly key?: string
  /** Kept out of logs, error texts and answers. */
  readonly secret?: boolean
  /** Words that say, in any case, that there is no value, such as `none`. With this an empty flag says so too, as an empty variable always does. */
  readonly unset?: readonly string[]
  /** May be given several times; in the environment its values are separated by commas. */
  readonly list?: boolean
}

export type Settings = Readonly<Record<string, Setting>>

export type ConfigOf<S extends Settings> = { readonly [Name in keyof S]: z.output<S[Name]['schema']> }

/** Keeps the exact type of each schema. */
export function defineSettings<const S extends Settings>(settings: S): S {
  return Object.freeze(settings)
}

/** Lets every flag be set by the variable of its own name too: `--read-only` by `READ_ONLY`. The settings' own variables come first. */
export function withFlagVariables<const S extends Settings>(settings: S): S {
  const named = Object.entries<Setting>(settings).map(([name, setting]) => {
    const own = setting.flag?.toUpperCase().replaceAll('-', '_')
    const env = setting.env ?? []
    return [name, own === undefined || env.includes(own) ? setting : { ...setting, env: [...env, own] }]
  })
  // The same names with the same schemas, which `fromEntries` cannot say.
  return Object.freeze(Object.fromEntries(named)) as S
}
