/** Keys and indices from the top of a document: `['servers', 'proxied', 'stdio', 0, 'command']`. */
export type Path = readonly (string | number)[]

export interface Span {
  readonly start: number
  readonly end: number
}

/** A key with its value, or an item of an array. Of an item, both spans are the same. */
export interface LayoutNode {
  readonly path: Path
  readonly key: Span
  readonly value: Span
  readonly kind: 'scalar' | 'array' | 'table'
  readonly children: readonly LayoutNode[]
}

/** What stands below one header; the first section has none. */
export interface Section {
  readonly path: Path
  readonly kind: 'root' | 'table' | 'item'
  readonly header: Span
  readonly nodes: readonly LayoutNode[]
}

export interface Layout {
  readonly sections: readonly Section[]
  readonly comments: readonly Span[]
}

/** Where everything stands in a TOML text that a parser has found to be right; in any other text the result means nothing. */
export function layoutOf(text: string): Layout {
  const comments: Span[] = []
  const sections: { path: Path; kind: Section['kind']; header: Span; nodes: LayoutNode[] }[] = []
  const lastIndex = new Map<string, number>()
  let at = text.startsWith('\ufeff') ? 1 : 0
  let section = begin([], 'root', { start: at, end: at })

  for (skipBlank(); at < text.length; skipBlank()) {
    if (text[at] === '[') section = readHeader()
    else section.nodes.push(readEntry(section.path))
  }
  return { sections, comments }

  function begin(path: Path, kind: Section['kind'], header: Span): (typeof sections)[number] {
    const begun = { path, kind, header, nodes: [] }
    sections.push(begun)
    return begun
  }

  function readHeader(): (typeof sections)[number] {
    const start = at
    const isItem = text[at + 1] === '['
    at += isItem ? 2 : 1
    const path = placeOf(readKey(), isItem)
    skipSpace()
    at += isItem ? 2 : 1
    return begin(path, isItem ? 'item' : 'table', { start, end: at })
  }

  /** A header names the last item of each array on its way; a double bracket makes the next one. */
  function placeOf(keys: readonly string[], isItem: boolean): Path {
    const path: (string | number)[] = []
    for (const [depth, key] of keys.entries()) {
      path.push(key)
      const array = JSON.stringify(path)
      const last = lastIndex.get(array)
      const isNew = isItem && depth === keys.length - 1
      if (isNew) lastIndex.set(array, (last ?? -1) + 1)
      if (isNew || last !== undefined) path.push(isNew ? (last ?? -1) + 1 : (last ?? 0))
    }
    return path
  }

  function readEntry(parent: Path): LayoutNode {
    const start = at
    const keys = readKey()
    const key = { start, end: at }
    skipSpace()
    at += 1
    skipSpace()
    return { ...readValue([...parent, ...keys]), key }
  }

  function readKey(): string[] {
    const keys: string[] = []
    for (;;) {
      skipSpace()
      keys.push(readKeyPart())
      const end = at
      skipSpace()
      if (text[at] !== '.') {
        at = end
        return keys
      }
      at += 1
    }
  }

  function readKeyPart(): string {
    const start = at
    if (text[at] === '"' || text[at] === "'") {
      const isLiteral = text[at] === "'"
      skipString()
      return isLiteral ? text.slice(start + 1, at - 1) : unescapeKey(text.slice(start + 1, at - 1))
    }
    while (at < text.length && BARE.test(text[at] ?? '')) at += 1
    return text.slice(start, at)
  }

  function readValue(path: Path): Omit<LayoutNode, 'key'> {
    const start = at
    const children: LayoutNode[] = []
    const kind = text[at] === '[' ? 'array' : text[at] === '{' ? 'table' : 'scalar'
    if (kind === 'scalar') skipScalar()
    else {
      const end = kind === 'array' ? ']' : '}'
      at += 1
      for (skipBlank(','); at < text.length && text[at] !== end; skipBlank(',')) {
        children.push(kind === 'array' ? readItem([...path, children.length]) : readEntry(path))
      }
      at += 1
    }
    return { path, value: { start, end: at }, kind, children }
  }

  function readItem(path: Path): LayoutNode {
    const item = readValue(path)
    return { ...item, key: item.value }
  }

  function skipScalar(): void {
    const isString = text[at] === '"' || text[at] === "'"
    if (isString) skipString()
    while (!isString && at < text.length && !SCALAR_END.test(text[at] ?? '')) at += 1
    // A date may be written with a blank before its time.
    if (!isString && DATE_AND_BLANK.test(text.slice(at - 10, at + 4))) {
      at += 1
      skipScalar()
    }
  }

  function skipString(): void {
    const quote = text[at] ?? ''
    const isLong = text.startsWith(quote.repeat(3), at)
    const end = isLong ? quote.repeat(3) : quote
    at += end.length
    while (at < text.length && !text.startsWith(end, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1
    at += end.length
    // Up to two quotes may stand before the closing three.
    while (isLong && text[at] === quote) at += 1
  }

  function skipSpace(): void {
    while (text[at] === ' ' || text[at] === '\t') at += 1
  }

  function skipBlank(separator = ''): void {
    for (; at < text.length; at += 1) {
      const character = text[at] ?? ''
      if (character === '#') skipComment()
      else if (!BLANK.includes(character) && character !== separator) return
    }
  }

  function skipComment(): void {
    const start = at
    const line = text.indexOf('\n', at)
    at = line === -1 ? text.length : line
    comments.push({ start, end: text[at - 1] === '\r' ? at - 1 : at })
  }
}

const BARE = /[A-Za-z0-9_-]/
const SCALAR_END = /[\s,\]}#]/
const DATE_AND_BLANK = /^\d{4}-\d\d-\d\d \d\d:$/
const BLANK = ' \t\r\n'
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))/g
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' }

function unescapeKey(text: string): string {
  return text.replace(ESCAPE, (_, four: string, eight: string, two: string, one: string) => {
    const code = four ?? eight ?? two
    return code === undefined ? (ESCAPED[one] ?? one) : String.fromCodePoint(Number.parseInt(code, 16))
  })
}
