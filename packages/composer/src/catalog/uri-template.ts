/** What a resource template matches, without a regular expression: the time is bounded by the lengths of template and URI. */
export interface UriPattern {
  /** How much of the template is no variable: the more, the better it knows what it matches. */
  readonly literalLength: number
  /** What every URI of it begins with. */
  readonly prefix: string
  matches(uri: string): boolean
}

/** RFC 6570: `{name}` within a segment, `{+name}` beyond; `{/x} {?x} {#x}` and their like begin with their character or are absent. */
interface Expression {
  readonly lead: string
  readonly crosses: boolean
}

const MAX_TEMPLATE = 512
const MAX_URI = 4_096
const MAX_EXPRESSIONS = 32
const LEADS = '#./;?&'

/** Undefined where it is no template, or one that nobody needs. */
export function parseUriTemplate(template: string): UriPattern | undefined {
  const parts = parseParts(template)
  if (!parts) return undefined
  const literals = parts.filter((part) => typeof part === 'string')
  const [first] = parts
  return Object.freeze({
    literalLength: literals.join('').length,
    prefix: typeof first === 'string' ? first : '',
    matches: (uri: string) => uri.length <= MAX_URI && matchesParts(parts, uri),
  })
}

function parseParts(template: string): readonly (string | Expression)[] | undefined {
  if (template.length > MAX_TEMPLATE) return undefined
  const parts: (string | Expression)[] = []
  let at = 0
  while (at < template.length) {
    const open = template.indexOf('{', at)
    const end = open < 0 ? template.length : open
    if (end > at) parts.push(template.slice(at, end))
    if (open < 0) break
    const close = template.indexOf('}', open)
    if (close <= open + 1) return undefined
    parts.push(parseExpression(template.slice(open + 1, close)))
    at = close + 1
  }
  const expressions = parts.filter((part) => typeof part !== 'string')
  return expressions.length <= MAX_EXPRESSIONS ? parts : undefined
}

function parseExpression(text: string): Expression {
  const [operator = ''] = text
  const crosses = '+#?&'.includes(operator) || (operator === '/' && text.endsWith('*'))
  return { lead: LEADS.includes(operator) ? operator : '', crosses }
}

/** Keeps the set of all places that can be reached, part by part: there is nothing to come back to. */
function matchesParts(parts: readonly (string | Expression)[], uri: string): boolean {
  let places = new Uint8Array(uri.length + 1)
  places[0] = 1
  for (const part of parts) {
    const next = typeof part === 'string' ? afterLiteral(places, part, uri) : afterValue(places, part, uri)
    if (!next.includes(1)) return false
    places = next
  }
  return places[uri.length] === 1
}

function afterLiteral(places: Uint8Array, literal: string, uri: string): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(places.length)
  places.forEach((isReached, place) => {
    if (isReached && uri.startsWith(literal, place)) next[place + literal.length] = 1
  })
  return next
}

function afterValue(places: Uint8Array, { lead, crosses }: Expression, uri: string): Uint8Array<ArrayBuffer> {
  const starts = lead === '' ? places : afterLiteral(places, lead, uri)
  const next = lead === '' ? new Uint8Array(places.length) : Uint8Array.from(places)
  let isInside = false
  for (let place = 0; place < uri.length; place += 1) {
    if (starts[place]) isInside = true
    if (!crosses && '/?#'.includes(uri.charAt(place))) isInside = false
    if (isInside) next[place + 1] = 1
  }
  return next
}
