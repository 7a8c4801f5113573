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
  /** Shown behind the flag, such as `PORT`; a setting without one is a switch. */
  readonly value?: string
  /** Environment variables, the first one preferred. A secret may also come from the file that `…_FILE` names. */
  readonly env?: readonly string[]
  /** The key in the configuration file. */
  readonly key?: string
  /** Kept out of logs, error texts and answers. */
  readonly secret?: boolean
  /** May be given several times; in the environment its values are separated by commas. */
  readonly list?: boolean
}

export type Settings = Readonly<Record<string, Setting>>

export type ConfigOf<S extends Settings> = { readonly [Name in keyof S]: z.output<S[Name]['schema']> }

/** Keeps the exact type of each schema. */
export function defineSettings<const S extends Settings>(settings: S): S {
  return Object.freeze(settings)
}
