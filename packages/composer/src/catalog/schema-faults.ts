import type { FieldError } from '@quire/kit/errors'

const MAX_FAULTS = 20
const MAX_STEPS = 64
const LONGEST_TEXT = 100_000
const LONGEST_MESSAGE = 300

/** Of a part that does not fit because of a part of its own, which is told as well. */
const WRAPPER =
  /^(?:Property ".*" does not match (?:additional properties |unevaluated properties )?schema\.|Items did not match (?:additional items |unevaluated items )?schema\.|A subschema had errors\.)$/s

/** Of a property that nothing in the schema allows; the validator says it of one with a fault in it as well. */
const UNKNOWN = 'False boolean schema.'

/** Takes apart what the validator says in one text: `#/a/0: what is wrong; #/b: what is wrong`. A space in a place is written `%20`. */
export function toFieldErrors(text: string): readonly FieldError[] {
  const faults = text
    .slice(0, LONGEST_TEXT)
    .split(/; (?=#(?:\/\S*)?: )/)
    .map(toFault)
  const causes = faults.filter(({ message }) => !WRAPPER.test(message))
  const explained = new Set(
    causes.filter(({ message }) => message !== UNKNOWN).flatMap(({ place }) => placesAround(place)),
  )
  const told = causes.filter(({ place, message }) => message !== UNKNOWN || !explained.has(place))
  return (told.length > 0 ? told : faults).slice(0, MAX_FAULTS).map(({ place, message }) => ({
    path: toPath(place),
    message: message === UNKNOWN ? 'This is not among what the tool takes.' : shorten(message),
  }))
}

function toFault(text: string): { readonly place: string; readonly message: string } {
  const end = text.indexOf(': ')
  return { place: text.slice(0, end), message: text.slice(end + 2) }
}

/** Of `#/a/0`: `#`, `#/a` and `#/a/0`. */
function placesAround(place: string): readonly string[] {
  const steps = place.split('/').slice(0, MAX_STEPS)
  return steps.map((_step, index) => steps.slice(0, index + 1).join('/'))
}

/** `#/a/0/b` is `body.a[0].b`. */
function toPath(pointer: string): string {
  const steps = decoded(pointer).split('/').slice(1)
  return steps.reduce((path, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${shorten(name)}`
  }, 'body')
}

/** A name among the arguments can look like a place, and then be none. */
function decoded(pointer: string): string {
  try {
    return decodeURI(pointer)
  } catch {
    return pointer
  }
}

function shorten(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text
}
