import { z } from 'zod'

/**
 * Fields of the file. A number or a switch may also be a text, for it may come from a variable; editors are told that such a text names one.
 */

/** A text that holds a variable, as editors are told of it. */
export const VARIABLE_TEXT = Object.freeze({
  type: 'string',
  pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}',
})

export function wholeNumber(
  min: number,
  max: number,
  error = `must be a whole number from ${min} to ${max}`,
) {
  const number = z.int(error).min(min, error).max(max, error)
  return z.union([number, textAs(/^[+-]?\d{1,15}$/, Number).pipe(number)], { error })
}

/** How often something is tried again; in the file -1 is without end. */
export function attempts(max: number) {
  const error = `must be a whole number from 0 to ${max}, or -1 for without end`
  return wholeNumber(-1, max, error).transform((count) => (count === -1 ? Number.POSITIVE_INFINITY : count))
}

/** In the file seconds, fractions allowed; in the program milliseconds. */
export function seconds(min: number, max: number) {
  const error = `must be a number of seconds from ${min} to ${max}`
  const number = z.number(error).min(min, error).max(max, error)
  const either = z.union([number, textAs(/^\d{1,12}(?:\.\d{1,6})?$/, Number).pipe(number)], { error })
  return either.transform((value) => Math.round(value * 1000))
}

export function flag() {
  return z.union([z.boolean(), textAs(/^(?:true|false)$/, (text) => text === 'true')], {
    error: 'must be true or false',
  })
}

export function line(what = 'must be a text') {
  return z.string({ error: what }).refine(isPlain, 'holds a control character')
}

export function filledLine() {
  return line().min(1, 'must not be empty')
}

/** Given to a program: anything but NUL. */
export function argument() {
  return z.string({ error: 'must be a text' }).refine((text) => !text.includes('\0'), 'holds a NUL character')
}

export function lines() {
  return z.array(filledLine(), { error: 'must be a list of texts' })
}

export function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  refused: Readonly<Record<string, string>> = {},
) {
  return z.enum(values, {
    error: ({ input }) => {
      const reason = typeof input === 'string' && Object.hasOwn(refused, input) ? refused[input] : undefined
      return reason ?? `must be ${either(values)}`
    },
  })
}

/** One of the words, in whatever case. An editor proposes them as they are written here. */
export function word<const Words extends readonly [string, ...string[]]>(words: Words, error: string) {
  // Written out for editors: the pattern of a JSON Schema has no flags.
  const anyCase = words
    .join('|')
    .replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
  return z.union([z.enum(words), z.string().regex(new RegExp(`^(?:${anyCase})$`), error)], { error })
}

/** A place below the root of the service. */
export function webPath() {
  return z
    .string({ error: 'must be a path such as "/mcp"' })
    .regex(
      WEB_PATH,
      'must be a path such as "/mcp": letters, digits, ".", "_", "~", "-", no slash at its end',
    )
}

export function webAddress() {
  return line('must be an address that begins with http:// or https://').check(({ value, issues }) => {
    const message = addressFault(value)
    if (message) issues.push({ code: 'custom', message, input: value })
  })
}

/** Known from other products, and not taken: the key is refused whatever it says. */
export function refused(reason: string) {
  return z
    .never({ error: `is not taken: ${reason}` })
    .optional()
    .describe(`Not taken: ${reason}.`)
}

/** Taken with the one value that says what is done anyway. */
export function only<const Value extends string | number | boolean>(value: Value, reason: string) {
  const sentence = `can only be ${JSON.stringify(value)}, which is the same as leaving it out: ${reason}`
  const text = z
    .string()
    .refine((given) => given.trim() === String(value), sentence)
    .meta(VARIABLE_TEXT)
  return z
    .union([z.literal(value), text], { error: sentence })
    .optional()
    .describe(toDescription(sentence))
}

/** Taken with all of the values, which is what is done anyway. */
export function onlyAll(values: readonly string[], reason: string) {
  const message = `can only list all of ${values.join(', ')}, which is the same as leaving it out: ${reason}`
  return z
    .array(z.string({ error: message }), { error: message })
    .refine(
      (list) => new Set(list).size === values.length && values.every((value) => list.includes(value)),
      message,
    )
    .optional()
    .describe(toDescription(message))
}

export function either(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`)
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

const WEB_PATH = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/

function toDescription(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

function isPlain(text: string): boolean {
  return !CONTROL.test(text)
}

function textAs<Value>(pattern: RegExp, convert: (text: string) => Value) {
  return z
    .string()
    .meta(VARIABLE_TEXT)
    .transform((text, context) => {
      if (pattern.test(text.trim())) return convert(text.trim())
      context.issues.push({ code: 'custom', message: 'of another type', input: text })
      return z.NEVER
    })
}

function addressFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    return 'must be an address that begins with http:// or https://'
  if (url.username || url.password) return 'holds a password: put it into "headers" or "auth_token"'
  return undefined
}
