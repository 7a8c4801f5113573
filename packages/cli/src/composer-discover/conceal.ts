/** Puts a variable in the place of whatever may be a secret, and remembers which ones there are. */
export interface Concealer {
  /** Of an environment variable or a header: nothing literal is shown. */
  value(text: string, purpose: string): string
  /** The arguments of a command: only what looks like a secret is hidden, for the others say what is run. */
  args(args: readonly string[]): readonly string[]
  address(url: string): string
  /** The variables that must be set, in the order in which they came. */
  variables(): readonly string[]
}

export interface ConcealerOptions {
  readonly server: string
  readonly home: string
  readonly cwd: string
  /** Names of variables that mean something else; those that are made up here are added. */
  readonly taken: Set<string>
}

const SECRET_WORD = /token|key|secret|passw|pwd|auth|credential|bearer|cookie|session|signature|\bpat\b/i
/** What the makers of tokens begin them with. */
const TOKEN_PREFIX =
  /^(?=.*\d)(?:(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[a-z]|xapp|hf|npm|ntn|secret)[-_]|AKIA|ASIA|AIza|eyJ)[\w.-]{6,}$/
/** Long, and with more digits or capitals than a name has. */
const RANDOM =
  /^(?:(?=(?:\D*\d){4})(?=.*[A-Za-z])[\w+=~-]{20,}|(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{20,})$/
const WITH_PASSWORD = /:\/\/[^/\s@]*@/
const ASSIGNMENT = /^(--?[A-Za-z][\w.-]*|[A-Za-z_]\w*)=(.+)$/s
const REFERENCE = /\$\{([^}]*)\}|\{env:([A-Za-z_]\w*)\}/g
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-.*)?$/s
const HARMLESS_AROUND = /^(?:(?:Bearer|Basic|Token) )?$/i
const HARMLESS_QUERY = /^(?:true|false|\d{1,6}|[a-z]{1,12})$/

export function createConcealer({ server, home, cwd, taken }: ConcealerOptions): Concealer {
  const wanted = new Set<string>()

  /** Known to us by the same name: the text of a client becomes the reference of our file. */
  function refer(name: string): string {
    wanted.add(name)
    return `\${${name}}`
  }

  function hide(purpose: string): string {
    const base = toVariable(`${server}_${purpose}`)
    let name = base
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`
    taken.add(name)
    return refer(name)
  }

  function value(text: string, purpose: string): string {
    if (text === '') return ''
    const bare = /^\$([A-Za-z_]\w*)$/.exec(text)?.[1]
    if (bare !== undefined) return refer(bare)
    const around = text.replace(REFERENCE, '')
    if (around === text || !HARMLESS_AROUND.test(around)) return hide(purpose)
    return expand(text)
  }

  /** What stands between references stays as it is. */
  function expand(text: string): string {
    let end = 0
    let result = ''
    for (const match of text.matchAll(REFERENCE)) {
      result += literal(text.slice(end, match.index)) + reference(match)
      end = match.index + match[0].length
    }
    return result + literal(text.slice(end))
  }

  function reference([whole, inBraces, ofOpencode]: RegExpExecArray): string {
    if (ofOpencode !== undefined) return refer(ofOpencode)
    if (inBraces === 'workspaceFolder') return literal(cwd)
    if (inBraces === 'userHome') return literal(home)
    const input = /^input:(.+)$/.exec(inBraces ?? '')?.[1]
    if (input !== undefined) return hide(input)
    const name = VARIABLE.exec(inBraces ?? '')?.[1]
    return name === undefined ? literal(whole) : refer(name)
  }

  function argument(text: string, before: string | undefined, index: number): string {
    const [, name, assigned] = ASSIGNMENT.exec(text) ?? []
    if (name !== undefined && assigned !== undefined) {
      // What is written like an environment variable is handed over like one.
      const isHidden = !name.startsWith('-') || SECRET_WORD.test(name) || isSecret(assigned)
      return isHidden ? `${literal(name)}=${value(assigned, name)}` : expand(text)
    }
    const isNamed = before?.startsWith('-') && !before.includes('=') && SECRET_WORD.test(before)
    if (isNamed && !text.startsWith('-')) return value(text, before ?? '')
    return isSecret(text) ? value(text, `arg_${index}`) : expand(text)
  }

  return Object.freeze({
    value,
    args: (args: readonly string[]) => args.map((text, index) => argument(text, args[index - 1], index + 1)),
    address: (url: string) => concealAddress(url, { expand, value, hide }),
    variables: () => [...wanted],
  })
}

function isSecret(text: string): boolean {
  if (TOKEN_PREFIX.test(text) || RANDOM.test(text) || WITH_PASSWORD.test(text)) return true
  return /^[\w-]+: ?\S/.test(text) && SECRET_WORD.test(text)
}

/** Credentials stand in front of the host, in the path of services that give each user an address, and in the query. */
function concealAddress(
  url: string,
  {
    expand,
    value,
    hide,
  }: {
    expand(text: string): string
    value(text: string, purpose: string): string
    hide(purpose: string): string
  },
): string {
  const [, scheme = '', user, host = '', path = '', query, fragment] =
    /^(https?:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/is.exec(url) ?? []
  if (scheme === '') return hide('url')
  const segments = path.split('/').map((part) => (isSecret(part) ? value(part, 'url_path') : expand(part)))
  const pairs = query?.split('&').map((pair) => {
    const [, name = '', text] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? []
    if (text === undefined) return expand(pair)
    const isHarmless = HARMLESS_QUERY.test(text) && !SECRET_WORD.test(name)
    return `${expand(name)}=${isHarmless ? text : value(text, `url_${name}`)}`
  })
  return [
    scheme,
    user === undefined ? '' : `${hide('url_user')}@`,
    expand(host),
    segments.join('/'),
    pairs === undefined ? '' : `?${pairs.join('&')}`,
    fragment === undefined ? '' : expand(fragment),
  ].join('')
}

/** The names of all variables that a text speaks of, however its client writes them. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/\$(?:\{(?:env:)?)?([A-Za-z_]\w*)|\{env:([A-Za-z_]\w*)/g)].flatMap(
    ([, name, ofOpencode]) => name ?? ofOpencode ?? [],
  )
}

/** A dollar sign of the text itself must not begin a variable of ours. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

function toVariable(text: string): string {
  const name = text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return /^[0-9]/.test(name) ? `_${name}` : name
}
