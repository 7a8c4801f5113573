import { ToolError } from '../../tool-error.ts'

const MAX_ALTERNATIVES = 64
const ANY_FOLDERS = '**'

/**
 * Shell-style: `*` and `?` stay within one name, `**` stands for any number of folders, `[a-z]` and `[!a-z]` for one character,
 * `{a,b}` for alternatives. A pattern without a slash is about names, any other about the whole path. The work is bounded by the length
 * of pattern times path, whatever the pattern.
 */
export function createPathGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map((alternative) => {
    const segments = alternative.split('/').filter((segment) => segment !== '' && segment !== '.')
    return { wholePath: alternative.includes('/'), segments: segments.map(toSegment) }
  })
  return (path) => {
    const names = path.split('/')
    return alternatives.some(({ wholePath, segments }) =>
      matches(segments, wholePath ? names : names.slice(-1), matchesSegment),
    )
  }
}

type Segment = typeof ANY_FOLDERS | readonly Token[]

type Token = '*' | ((character: string) => boolean)

function matchesSegment(segment: Segment, name: string): boolean | 'any' {
  return segment === ANY_FOLDERS ? 'any' : matches(segment, [...name], matchesToken)
}

function matchesToken(token: Token, character: string): boolean | 'any' {
  return token === '*' ? 'any' : token(character)
}

/** A part that answers 'any' takes any number of items. Only the last of them is ever tried again, which is enough. */
function matches<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  matchesOne: (part: Part, item: Item) => boolean | 'any',
): boolean {
  let part = 0
  let item = 0
  let retry: { part: number; item: number } | undefined
  while (item < items.length) {
    const verdict = part < parts.length && matchesOne(at(parts, part), at(items, item))
    if (verdict === 'any') {
      retry = { part, item }
      part += 1
    } else if (verdict) {
      part += 1
      item += 1
    } else if (retry) {
      retry.item += 1
      item = retry.item
      part = retry.part + 1
    } else {
      return false
    }
  }
  return parts.slice(part).every((rest) => rest === '*' || rest === ANY_FOLDERS)
}

function toSegment(text: string): Segment {
  if (text === ANY_FOLDERS) return ANY_FOLDERS
  const characters = [...text]
  const tokens: Token[] = []
  for (let i = 0; i < characters.length; i += 1) {
    const character = at(characters, i)
    const end = character === '[' ? characters.indexOf(']', i + 2) : -1
    if (end !== -1) {
      tokens.push(toClass(characters.slice(i + 1, end)))
      i = end
    } else if (character !== '*') {
      tokens.push(character === '?' ? () => true : (given) => given === character)
    } else if (tokens.at(-1) !== '*') {
      tokens.push('*')
    }
  }
  return tokens
}

function toClass(body: readonly string[]): (character: string) => boolean {
  const negated = body[0] === '!' || body[0] === '^'
  const members = negated ? body.slice(1) : body
  const ranges: { from: string; to: string }[] = []
  for (let i = 0; i < members.length; i += 1) {
    const from = at(members, i)
    const to = members[i + 1] === '-' ? members[i + 2] : undefined
    ranges.push({ from, to: to ?? from })
    if (to !== undefined) i += 2
  }
  return (character) => ranges.some(({ from, to }) => from <= character && character <= to) !== negated
}

/** Braces without a partner, or without a comma between them, are ordinary characters. */
function expandBraces(pattern: string): readonly string[] {
  const finished: string[] = []
  const waiting = [pattern]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next)
    if (!braces) {
      finished.push(next)
    } else {
      const [whole, inner = ''] = braces
      const before = next.slice(0, braces.index)
      const after = next.slice(braces.index + whole.length)
      waiting.push(...inner.split(',').map((choice) => `${before}${choice}${after}`))
    }
    if (finished.length + waiting.length > MAX_ALTERNATIVES) {
      throw new ToolError(
        'invalid_argument',
        `The pattern stands for more than ${MAX_ALTERNATIVES} alternatives. Use fewer braces.`,
      )
    }
  }
  return finished
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`there is no item ${index}`)
  return item
}
