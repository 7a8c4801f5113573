import { z } from 'zod'
import { either } from './config/schema/fields.ts'

/** Fields of requests: each says what is wrong in words that tell what to send. */

/** At least one character, unless it may be empty. */
export function text(most: number, least = 1) {
  const error = must(`be a text of ${least === 0 ? 'up' : least} to ${most} characters`)
  return z.string({ error }).min(least, { error }).max(most, { error })
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: must(`be ${either(values)}`) })
}

/** Any object; `what` says of what. */
export function anyObject(what = 'a JSON object') {
  return z.record(z.string(), z.unknown(), { error: must(`be ${what}`) })
}

/** Names and texts, such as those of an environment. */
export function texts() {
  const error = 'must be an object of names and texts'
  const names = z.string().min(1, { error }).max(256, { error: 'has a name of more than 256 characters' })
  return z.record(names, text(32_768, 0), {
    error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : error),
  })
}

/** These keys and no other. */
export function object<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const known = Object.keys(shape)
  const needed = known.filter((key) => shape[key]?.safeParse(undefined).success === false)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has ${listKeys(issue.keys)}, which there is not here: it takes ${listKeys(known)}`
        : `must be an object with ${listKeys(needed.length > 0 ? needed : known)}`,
  })
}

export function must(rule: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? `is missing: it must ${rule}` : `must ${rule}`)
}

function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MOST_KEYS).map((key) => JSON.stringify(key.slice(0, LONGEST_KEY)))
  return shown.join(', ')
}

const MOST_KEYS = 10
const LONGEST_KEY = 64
