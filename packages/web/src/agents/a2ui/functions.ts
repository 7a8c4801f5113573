import { toText } from '../../ui/to-text.ts'
import { isLike } from './tame-pattern.ts'

type Arguments = Readonly<Record<string, unknown>>
type ReadPath = (path: string) => string

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/
const PLACE = /\$\{\s*([\w/~.-]{1,200})\s*\}/g
/** A short text with many places can ask for more than a text can hold. */
const LONGEST_TEXT = 100_000
const MOST_DECIMALS = 20
const HAS_TIME = /[hHkKms]/
const HAS_DATE = /[yMdE]/

/** The functions of the basic catalog. One that is not known here, or that fails, is nothing at all. */
export function callFunction(name: string, args: Arguments, readPath: ReadPath): unknown {
  const work = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
  try {
    if (name === 'formatString') return fillPlaces(toText(args.value), readPath)
    return work?.(args)
  } catch {
    // Such as a currency that there is not.
    return undefined
  }
}

const FUNCTIONS: Readonly<Record<string, (args: Arguments) => unknown>> = {
  add: ({ a, b }) => Number(a) + Number(b),
  subtract: ({ a, b }) => Number(a) - Number(b),
  multiply: ({ a, b }) => Number(a) * Number(b),
  divide: ({ a, b }) => Number(a) / Number(b),
  equals: ({ a, b }) => a === b,
  not_equals: ({ a, b }) => a !== b,
  greater_than: ({ a, b }) => Number(a) > Number(b),
  less_than: ({ a, b }) => Number(a) < Number(b),
  and: ({ values }) => all(toList(values)),
  or: ({ values }) => not(all(toList(values).map(not))),
  not: ({ value }) => not(value),
  contains: ({ string, substring }) => toText(string).includes(toText(substring)),
  starts_with: ({ string, prefix }) => toText(string).startsWith(toText(prefix)),
  ends_with: ({ string, suffix }) => toText(string).endsWith(toText(suffix)),
  required: ({ value }) => !isEmpty(value),
  regex: ({ value, pattern }) => isLike(toText(value), toText(pattern)),
  length: ({ value, min, max }) =>
    isWithin(Array.isArray(value) ? value.length : toText(value).length, min, max),
  numeric: ({ value, min, max }) => !isEmpty(value) && isWithin(Number(value), min, max),
  email: ({ value }) => EMAIL.test(toText(value)),
  formatNumber: ({ value, ...how }) => new Intl.NumberFormat(undefined, toDigits(how)).format(Number(value)),
  formatCurrency: ({ value, currency, ...how }) =>
    new Intl.NumberFormat(undefined, {
      ...toDigits(how),
      style: 'currency',
      currency: toText(currency),
    }).format(Number(value)),
  formatDate: ({ value, format }) => toDate(value, toText(format)),
  pluralize: ({ value, ...words }) => {
    const word = Number(value) === 0 && words.zero !== undefined ? 'zero' : undefined
    return words[word ?? new Intl.PluralRules().select(Number(value))] ?? words.other
  },
}

function fillPlaces(template: string, readPath: ReadPath): string {
  let filled = ''
  let end = 0
  for (const { 0: place, 1: path = '', index } of template.matchAll(PLACE)) {
    filled += template.slice(end, index) + readPath(path)
    end = index + place.length
    if (filled.length > LONGEST_TEXT) break
  }
  return (filled + template.slice(end)).slice(0, LONGEST_TEXT)
}

/** The order of its parts is that of the reader's language, whatever the pattern says. */
function toDate(value: unknown, format: string): string {
  return new Intl.DateTimeFormat(undefined, {
    ...((HAS_DATE.test(format) || !HAS_TIME.test(format)) && { dateStyle: 'medium' }),
    ...(HAS_TIME.test(format) && { timeStyle: 'short' }),
  }).format(new Date(typeof value === 'number' ? value : toText(value)))
}

function toDigits({ decimals, grouping }: Arguments): Intl.NumberFormatOptions {
  const digits = typeof decimals === 'number' ? Math.min(Math.max(decimals, 0), MOST_DECIMALS) : undefined
  return {
    useGrouping: grouping !== false,
    ...(digits !== undefined && { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  }
}

function isWithin(value: number, min: unknown, max: unknown): boolean {
  if (Number.isNaN(value)) return false
  return !(typeof min === 'number' && value < min) && !(typeof max === 'number' && value > max)
}

/** Undefined where it depends on what could not be told. */
function all(values: readonly unknown[]): boolean | undefined {
  if (values.includes(false)) return false
  return values.every((value) => value === true) ? true : undefined
}

function not(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? !value : undefined
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
