import { z } from '@hono/zod-openapi'

/** Fields of requests: each says what is wrong in words that tell what to send. */

/** At least one character, unless it may be empty. What no database can keep as it is, is refused. */
export function text(most: number, least = 1) {
  const error = must(`be a text of ${least === 0 ? 'up' : least} to ${most} characters`)
  return z
    .string({ error })
    .min(least, { error })
    .max(most, { error })
    .refine(isPlain, 'holds a NUL character or half of a surrogate pair: leave those out')
}

/** What people and models call something by: one line that can be seen. */
export function label(most: number) {
  return text(most)
    .refine(
      (value) => !/\p{Cc}/u.test(value),
      'holds a line break or another control character: leave it out',
    )
    .refine((value) => value.trim() !== '', 'is blank: write something that can be read')
}

/** Letters, digits, `.`, `_` and `-`. What is dots alone could not be part of an address. */
export function name(most: number) {
  const error = must(`be 1 to ${most} letters, digits, ".", "_" or "-", and not dots alone`)
  return z.string({ error }).regex(new RegExp(`^(?!\\.+$)[A-Za-z0-9._-]{1,${most}}$`), { error })
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: must(`be one of ${listKeys(values)}`) })
}

export function flag() {
  return z.boolean({ error: must('be true or false') })
}

export function wholeNumber(least: number, most: number) {
  const error = must(`be a whole number from ${least} to ${most}`)
  return z.int({ error }).min(least, { error }).max(most, { error })
}

export function positiveNumber(most: number) {
  const error = must(`be a number above 0, up to ${most}`)
  return z.number({ error }).positive({ error }).max(most, { error })
}

/** Of a query, where numbers are texts. */
export function wholeNumberText(least: number, most: number) {
  const error = must(`be a whole number from ${least} to ${most}`)
  return z
    .string({ error })
    .regex(/^\d{1,10}$/, { error })
    .transform(Number)
    .pipe(z.number().min(least, { error }).max(most, { error }))
}

export function list<Item extends z.ZodType>(item: Item, most: number, least = 0) {
  const error = must(`be a list of ${least === 0 ? 'up' : least} to ${most} entries`)
  return z.array(item, { error }).min(least, { error }).max(most, { error })
}

/** These keys and no other. */
export function object<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has ${listKeys(issue.keys)}, which there is not here: it takes ${listKeys(known) || 'nothing'}`
        : `must be an object with ${listKeys(known)}`,
  })
}

/** For an error of a field: the rule, also where it is missing. */
export function must(rule: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? `is missing: it must ${rule}` : `must ${rule}`)
}

function isPlain(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

const MOST_KEYS = 12
const LONGEST_KEY = 64

function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MOST_KEYS).map((key) => JSON.stringify(key.slice(0, LONGEST_KEY)))
  return shown.join(', ')
}
