import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { parseToml, type TomlDocument } from './parse-toml.ts'
import { patchToml } from './patch-toml.ts'

const TEXT = `# the file's own comment

# about the composer
[composer]
name = "shelf" # shown to clients
# port = 9000

# files
[[servers.proxied.stdio]]
name = "files" # of the project
command = ["npx", "files"]
env = { A = "1" }

# git, in two parts
[[servers.proxied.stdio]]
name = "git"
command = [
  "uvx", # the runner
  # the package
  "git-server",
]
[servers.proxied.stdio.env]
TOKEN = "t" # of the bot

# ---- not used at present ----

# last
[[servers.proxied.stdio]]
name = "last"
command = ["x"]

# remote ones
[[servers.proxied.sse]]
name = "far"
url = "https://far.example.org/sse"
`

interface Servers {
  composer: Record<string, unknown>
  api?: Record<string, unknown>
  servers: { proxied: Record<string, Record<string, unknown>[]> }
}

/** The text after a change of what it says. */
function patched(change: (document: Servers) => void, text = TEXT): string {
  const old = documentIn(text)
  const next: Servers = JSON.parse(JSON.stringify(old))
  change(next)
  const result = patchToml(text, old, { ...next })
  expect(JSON.parse(JSON.stringify(documentIn(result)))).toEqual(next)
  return result
}

function documentIn(text: string): TomlDocument {
  const parsed = parseToml(text)
  if ('fault' in parsed) throw new Error(parsed.fault.message)
  return parsed.document
}

const stdioOf = (document: Servers) => document.servers.proxied.stdio ?? []

test('a change of nothing changes nothing', () => {
  expect(patched(() => {})).toBe(TEXT)
})

test('a value changes, and nothing around it', () => {
  expect(patched((document) => (document.composer.name = 'rack'))).toBe(TEXT.replace('"shelf"', '"rack"'))
  expect(patched((document) => Object.assign(stdioOf(document)[1]?.env ?? {}, { TOKEN: 'u' }))).toBe(
    TEXT.replace('"t"', '"u"'),
  )
})

test('a key comes after the last of its table', () => {
  expect(patched((document) => (document.composer.conflict_resolution = 'suffix'))).toBe(
    TEXT.replace('# shown to clients\n', '# shown to clients\nconflict_resolution = "suffix"\n'),
  )
})

test('a key goes with its comment', () => {
  expect(patched((document) => delete document.composer.name)).toBe(
    TEXT.replace('name = "shelf" # shown to clients\n', ''),
  )
})

test('a server that is added follows the one before it', () => {
  const added = { name: 'new', command: ['n'], env: { A: 'b' } }
  const text = patched((document) => stdioOf(document).splice(1, 0, added))
  expect(text).toBe(
    TEXT.replace(
      '# git, in two parts',
      '[[servers.proxied.stdio]]\nname = "new"\ncommand = ["n"]\nenv = { A = "b" }\n\n# git, in two parts',
    ),
  )
})

test('a server that is removed takes its tables and its comments along, and nobody else loses any', () => {
  const block = TEXT.slice(TEXT.indexOf('# git'), TEXT.indexOf('# ----'))
  expect(patched((document) => stdioOf(document).splice(1, 1))).toBe(TEXT.replace(block, ''))
})

test('servers that change places keep their tables and comments', () => {
  const text = patched((document) => stdioOf(document).reverse())
  const order = ['# last', '"last"', '# git', '"git"', '# the runner', '# of the bot', '# files', '"files"']
  expect(order.map((word) => text.indexOf(word))).toEqual(
    order.map((word) => text.indexOf(word)).toSorted((one, other) => one - other),
  )
  expect(commentsOf(text)).toEqual(commentsOf(TEXT))
})

test('a server that is renamed stays where it is', () => {
  expect(patched((document) => Object.assign(stdioOf(document)[0] ?? {}, { name: 'documents' }))).toBe(
    TEXT.replace('"files" #', '"documents" #'),
  )
})

test('a kind of servers and a table that are new come last', () => {
  const text = patched((document) => {
    document.servers.proxied['streamable-http'] = [{ name: 'new', url: 'http://localhost/mcp' }]
    document.api = { path_prefix: '/v2' }
  })
  expect(text).toBe(
    `${TEXT}\n[[servers.proxied.streamable-http]]\nname = "new"\nurl = "http://localhost/mcp"\n\n[api]\npath_prefix = "/v2"\n`,
  )
})

test('the first of a kind may come after the last of it has gone', () => {
  const none = patched((document) => (document.servers.proxied.stdio = []))
  expect(none).toContain('[servers.proxied]\nstdio = []\n')
  const again = patched((document) => stdioOf(document).push({ name: 'new', command: ['n'] }), none)
  expect(again).toContain('[[servers.proxied.stdio]]\nname = "new"\n')
  expect(again).not.toContain('stdio = []')
})

test('a list keeps the comments of the items that stay', () => {
  const command = (text: string) =>
    text.slice(text.indexOf('command = [\n'), text.indexOf('[servers.proxied.stdio.env]'))
  const change = (list: readonly string[]) =>
    command(patched((document) => Object.assign(stdioOf(document)[1] ?? {}, { command: list })))
  expect(change(['uvx', '--quiet', 'git-server'])).toBe(
    'command = [\n  "uvx", # the runner\n  "--quiet",\n  # the package\n  "git-server",\n]\n',
  )
  expect(change(['git-server'])).toBe('command = [\n  # the package\n  "git-server",\n]\n')
  expect(change(['uvx', 'git-server', '-v'])).toBe(
    'command = [\n  "uvx", # the runner\n  # the package\n  "git-server",\n  "-v",\n]\n',
  )
  expect(change(['uvx', 'other'])).toBe(
    'command = [\n  "uvx", # the runner\n  # the package\n  "other",\n]\n',
  )
})

test.each([
  ['a = [1, 2, 3]', { a: [1, 3] }, 'a = [1, 3]'],
  ['a = [1, 2, 3]', { a: [0, 1, 2, 3] }, 'a = [0, 1, 2, 3]'],
  ['a = [ 1 ]', { a: [1, 2] }, 'a = [ 1, 2 ]'],
  ['a = [1, # one\n]', { a: [1, 2] }, 'a = [1, # one\n 2,\n]'],
  ['a = [1 # one\n, 2]', { a: [1] }, 'a = [1]'],
  ['a = []', { a: [{ b: 1 }] }, '[[a]]\nb = 1\n'],
  ['a.b = 1 # x', { a: { b: 1, c: 2 } }, 'a.b = 1 # x\na.c = 2\n'],
  ['a.b = 1', { a: {} }, '[a]\n'],
  ['[a.b]\nc = 1\n', { a: { b: { c: 1 }, d: 2 } }, '[a.b]\nc = 1\n\n[a]\nd = 2\n'],
  ['[a]\nb = 1', { a: { b: 1 }, c: 2 }, 'c = 2\n\n[a]\nb = 1'],
  ['# top\n\n[a]\nb = 1', { a: { b: 1 }, c: 2 }, '# top\n\nc = 2\n\n[a]\nb = 1'],
  ['[a]\n', { a: { b: 1 } }, '[a]\nb = 1\n'],
  ['a = { b = 1 }', { a: { b: 1, c: { d: [] } } }, 'a = { b = 1, c = { d = [] } }'],
  ['a = 1', { a: { b: 1 } }, 'a = { b = 1 }'],
  ['a = """\nlong\n"""', { a: 'short\n"\u007f' }, 'a = "short\\n\\"\\u007f"'],
  ['', { 'a b': { 'c.d': 0.5 } }, '["a b"]\n"c.d" = 0.5\n'],
  [
    'a = 1\r\n[b]\r\nc = 1\r\n',
    { a: 1, b: { c: 1, d: 2 }, e: {} },
    'a = 1\r\n[b]\r\nc = 1\r\nd = 2\r\n\r\n[e]\r\n',
  ],
])('%j as %j', (text, next, expected) => {
  expect(patchToml(text, documentIn(text), next)).toBe(expected)
})

test('other tables may stand between the parts of an item', () => {
  const text = '[[s]]\nname = "a" # A\n[other]\nx = 1 # O\n[s.env]\nA = 1 # E\n[[s]]\nname = "b" # B\n'
  const next = { s: [{ name: 'b' }, { name: 'a', env: { A: 1 } }], other: { x: 1 } }
  const result = patchToml(text, documentIn(text), next)
  expect(parse(result)).toEqual(next)
  expect(commentsOf(result)).toEqual(commentsOf(text))
})

test('a layout beyond our means is written anew, and says the right thing', () => {
  const text = 'a = { b.c = 1, b.d = 2 } # lost\n'
  expect(patchToml(text, documentIn(text), { a: { b: { c: 1 } } })).toBe('[a.b]\nc = 1\n')
})

test('random changes of random documents say what they should, and lose no comment of what stays', () => {
  const random = randomOf(20_26)
  for (let round = 0; round < 300; round += 1) {
    const old = randomDocument(random)
    const text = writeWithComments(old, random)
    const next = change(old, random)
    const result = patchToml(text, documentIn(text), next)
    expect(JSON.parse(JSON.stringify(documentIn(result))), text).toEqual(next)
    for (const { name } of next.servers.proxied.stdio)
      if (old.servers.proxied.stdio.some((server) => server.name === name))
        expect(result).toContain(`# about ${name}\n`)
    for (const key of Object.keys(next.composer))
      if (Object.hasOwn(old.composer, key)) expect(result).toContain(`# about ${key}\n`)
    expect(patchToml(result, documentIn(result), next)).toBe(result)
  }
})

function commentsOf(text: string): readonly string[] {
  return (text.match(/#.*/g) ?? []).toSorted()
}

interface Sample extends Record<string, unknown> {
  readonly composer: Readonly<Record<string, unknown>>
  readonly servers: {
    readonly proxied: { readonly stdio: readonly (Readonly<Record<string, unknown>> & { name: string })[] }
  }
}

type Random = (below: number) => number

function randomOf(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

function randomDocument(random: Random): Sample {
  const stdio = Array.from({ length: 1 + random(5) }, (_, at) => randomServer(`s${at}`, random))
  const composer = Object.fromEntries(
    Array.from({ length: random(5) }, (_, at) => [`k${at}`, randomValue(random)]),
  )
  return { composer, servers: { proxied: { stdio } } }
}

function randomServer(name: string, random: Random) {
  const list = Array.from({ length: 1 + random(4) }, () => randomText(random))
  const env = Object.fromEntries(Array.from({ length: random(4) }, (_, at) => [`E${at}`, randomText(random)]))
  return {
    name,
    command: list,
    ...(random(2) ? { env } : {}),
    ...(random(2) ? { timeout: random(100) } : {}),
  }
}

function randomValue(random: Random): unknown {
  return [
    random(1000),
    randomText(random),
    random(2) === 0,
    [random(9), random(9)],
    { a: randomText(random) },
  ][random(5)]
}

function randomText(random: Random): string {
  const letters = [
    'a',
    '"',
    "'",
    '#',
    '\\',
    '\n',
    '[',
    ']',
    '{',
    '}',
    '=',
    ',',
    '.',
    'é',
    '😀',
    '\t',
    ' ',
    `\${X}`,
    '\u007f',
    '\r',
  ]
  return Array.from({ length: random(8) }, () => letters[random(letters.length)]).join('')
}

/** Tables of servers partly in braces and partly below headers of their own; a comment above and behind. */
function writeWithComments({ composer, servers }: Sample, random: Random): string {
  const lines = ['# file', '', '[composer]']
  for (const [key, value] of Object.entries(composer))
    lines.push(`# about ${key}`, `${key} = ${inline(value)} # behind ${key}`)
  for (const { env, ...server } of servers.proxied.stdio) {
    lines.push(
      '',
      ...(random(3) ? [] : ['# apart', '']),
      `# about ${server.name}`,
      '[[servers.proxied.stdio]]',
    )
    for (const [key, value] of Object.entries(server)) {
      const isList = Array.isArray(value) && random(2)
      lines.push(
        `${key} = ${isList ? `[\n${value.map((item) => `  ${inline(item)}, # item\n`).join('')}]` : inline(value)}`,
      )
    }
    if (typeof env !== 'object' || env === null) continue
    if (random(2)) lines.push(`env = ${inline(env)}`)
    else
      lines.push(
        '[servers.proxied.stdio.env]',
        ...Object.entries(env).map(([key, value]) => `${key} = ${inline(value)} # e`),
      )
  }
  return `${lines.join('\n')}\n`
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null)
    return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key} = ${inline(item)}`)
    .join(', ')} }`
}

function change({ composer, servers }: Sample, random: Random): Sample {
  const kept = servers.proxied.stdio.filter(() => random(4) > 0)
  const mixed = random(2) ? kept.toReversed() : kept
  const edited = mixed.map((server) =>
    random(3) ? server : { ...server, ...randomServer(server.name, random) },
  )
  const added = Array.from({ length: random(3) }, (_, at) => randomServer(`n${at}`, random))
  const at = random(edited.length + 1)
  const entries = Object.entries(composer).filter(() => random(4) > 0)
  const changed = entries.map(([key, value]) => [key, random(3) ? value : randomValue(random)])
  return {
    composer: Object.fromEntries([...changed, ...(random(2) ? [['fresh', randomValue(random)]] : [])]),
    servers: { proxied: { stdio: [...edited.slice(0, at), ...added, ...edited.slice(at)] } },
  }
}
