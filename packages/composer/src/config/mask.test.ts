import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { ComposerError } from '../composer-error.ts'
import { applyDocument, unmaskText } from './apply-document.ts'
import { faultsOf } from './config.fixture.ts'
import { documentOf, maskConfigText, maskedDocument } from './mask.ts'
import { valueAt } from './server-entries.ts'
import type { Path } from './toml/layout.ts'

/** Every secret in it holds the word "hush". */
const TEXT = `# the shelf
[authentication]
enabled = true
[authentication.api_key]
keys = [
  "hush-key-1-0123456789", # Ann
  { key = "hush-key-2-0123456789", subject = "bob", scopes = ["logs:read"] },
]
[authentication.jwt]
jwks_url = "https://id.example.org/keys"
issuer = "https://id.example.org"
audience = "quire"

[[servers.proxied.stdio]]
name = "files"
command = ["npx", "files", "--api-key", "hush-argument", "--token=hush-joined", "--level", "3"]
env = { GITHUB_TOKEN = "hush-env", SHOWN = "\${GITHUB_TOKEN}", DEFAULT = "\${X:-hush-default}" }

[[servers.proxied.stdio]]
name = "git"
command = ["uvx", "git"]
[servers.proxied.stdio.env]
PLAIN = 'hush-literal' # why
LONG = """
hush
hush"""

# [[servers.proxied.stdio]]
# name = "off" # with a password = "hush-comment"
# env = { A = "hush-comment" }
# TOKEN = 'hush-comment'
# keys = ["hush-comment"]

[[servers.proxied.streamable-http]]
name = "far"
url = "https://far.example.org/mcp?tenant=7&api_key=hush-query#x"
auth_token = "hush-token"
[servers.proxied.streamable-http.headers]
X-Tenant = "hush-header"
Authorization-2 = "Bearer \${FAR}"
`

test('the text is shown without its secrets, and otherwise as it is', () => {
  verifies('CO-CFG-3')
  const masked = maskConfigText(TEXT)
  expect(masked).not.toContain('hush')
  expect(masked.split('\n').filter((line) => !TEXT.split('\n').includes(line))).toEqual([
    '  "********", # Ann',
    '  { key = "********", subject = "bob", scopes = ["logs:read"] },',
    'command = ["npx", "files", "--api-key", "********", "--token=********", "--level", "3"]',
    `env = { GITHUB_TOKEN = "********", SHOWN = "\${GITHUB_TOKEN}", DEFAULT = "********" }`,
    'PLAIN = "********" # why',
    'LONG = "********"',
    '# name = "off" # with a password = "********"',
    '# env = { A = "********" }',
    '# TOKEN = "********"',
    '# keys = ["********"]',
    'url = "https://far.example.org/mcp?tenant=7&api_key=********#x"',
    'auth_token = "********"',
    'X-Tenant = "********"',
  ])
})

test('the document is shown without its secrets', () => {
  verifies('CO-CFG-2')
  const masked = maskedDocument(documentOf(TEXT))
  expect(JSON.stringify(masked)).not.toContain('hush')
  expect(JSON.stringify(masked)).toContain(`Bearer \${FAR}`)
  expect(masked).toEqual(documentOf(maskConfigText(TEXT)))
})

test('what is masked and sent back is what it was, as text and as a document', () => {
  verifies('CO-CFG-9')
  expect(unmaskText(TEXT, maskConfigText(TEXT)).replace(/LONG = .*/s, '')).toBe(
    TEXT.replace("'hush-literal'", '"hush-literal"').replace(/LONG = .*/s, ''),
  )
  expect(documentOf(unmaskText(TEXT, maskConfigText(TEXT)))).toEqual(documentOf(TEXT))
  expect(applyDocument(TEXT, masked())).toBe(TEXT)
})

test('a secret goes with the name of its server, not with its place', () => {
  verifies('CO-CFG-9')
  const document = masked()
  const list = listAt(document, ['servers', 'proxied', 'stdio'])
  list.reverse()
  list.unshift({ name: 'new', command: ['x'], env: { A: 'own' } })
  const text = applyDocument(TEXT, document)
  expect(valueAt(documentOf(text), ['servers', 'proxied', 'stdio', 1, 'env', 'PLAIN'])).toBe('hush-literal')
  expect(valueAt(documentOf(text), ['servers', 'proxied', 'stdio', 2, 'env', 'GITHUB_TOKEN'])).toBe(
    'hush-env',
  )
})

test('a server may move to another list', () => {
  const document = masked()
  const [far] = listAt(document, ['servers', 'proxied', 'streamable-http'])
  const proxied = valueAt(document, ['servers', 'proxied'])
  Object.assign(Object(proxied), { 'streamable-http': [], sse: [far] })
  const text = applyDocument(TEXT, document)
  expect(valueAt(documentOf(text), ['servers', 'proxied', 'sse', 0, 'auth_token'])).toBe('hush-token')
})

const MOVED = `[[servers.proxied.sse]]
name = "a"
url = "https://far.example.org/mcp?api_key=hush-query"
auth_token = "hush-token"
[[servers.proxied.sse]]
name = "b"
url = "https://\${HOST}/mcp"
auth_token = "hush-token"
[[servers.proxied.sse]]
name = "c"
url = "http://localhost:1/"
command = ["serve", "--token", "hush-argument"]
working_dir = "/srv"
env = { A_TOKEN = "hush-env", LEVEL = "hush-level" }
auth_token = "hush-token"
`
test.each<[string, string, string, number]>([
  ['another host', 'far.example.org', 'evil.example.org', 2],
  [
    'a host that our folder ends',
    'far.example.org/mcp?',
    `evil.example.org\${QUIRE_CONFIG_DIR:-@far.example.org/}x?`,
    2,
  ],
  ['a variable in the path', '/mcp?api_key=********"', `/\${QUIRE_CONFIG_DIR}"`, 1],
  ['a dollar sign', '/mcp?api_key=********"', '/$$"', 1],
  ['a host instead of a variable', `\${HOST}`, 'evil.example.org', 1],
  ['a host behind a variable', `\${HOST}`, `\${HOST}.evil.example.org`, 1],
  ['another program', '"serve"', '"steal"', 4],
  ['one argument more', '"serve",', '"serve", "--to=evil",', 4],
  ['one argument less', '"--token", "********"', '"--token"', 3],
  ['another folder', '"/srv"', '"/tmp"', 4],
  ['no folder', 'working_dir = "/srv"\n', '', 4],
  ['a variable that may name an address', 'LEVEL = "********"', 'API_URL = "https://evil.example.org"', 3],
  ['a guess at a secret', 'LEVEL = "********"', 'LEVEL = "hush-level"', 3],
])('masks are refused for %s', (_, before, after, count) => {
  const shown = maskConfigText(MOVED)
  expect(shown).toContain(before)
  const refused = caught(() => unmaskText(MOVED, shown.replace(before, after)))
  expect(refused).toBeInstanceOf(ComposerError)
  expect(refused).toMatchObject({
    problem: { errors: Array.from({ length: count }, () => expect.anything()) },
  })
})

test('a secret may be written anew beside a masked one', () => {
  const text = maskConfigText(MOVED).replace('A_TOKEN = "********"', 'A_TOKEN = "new"')
  expect(unmaskText(MOVED, text)).toBe(MOVED.replace('hush-env', 'new'))
})

test.each<[string, string, string?]>([
  ['--db=postgres://u:hush@h/x', '--db=postgres://********@h/x'],
  ['postgres://u:hu@sh@h/x', 'postgres://********@h/x'],
  ['https://h/?api_key=hush&x=1', 'https://h/?api_key=********&x=1'],
  ['API_TOKEN=hush', 'API_TOKEN=********'],
  ['--env=API_TOKEN=hush', '--env=API_TOKEN=********'],
  ['ANY=hush0123456789abcdef0', 'ANY=********'],
  ['Authorization: Bearer hush', 'Authorization: ********'],
  ['--header=X-Api-Key: hush', '--header=X-Api-Key: ********'],
  ['--db-pass=hush', '--db-pass=********'],
  ['--dsn', '--dsn'],
  ['hush', '********', '--dsn'],
  ['@scope/server-files@2025.1.14', '@scope/server-files@2025.1.14'],
  ['https://registry.example.org/@scope/x', 'https://registry.example.org/@scope/x'],
  ['LEVEL=debug', 'LEVEL=debug'],
  ['ROOT=/srv/data/2025/all/of/it', 'ROOT=/srv/data/2025/all/of/it'],
  ['--bypass=yes', '--bypass=yes'],
  [`API_TOKEN=\${X}`, `API_TOKEN=\${X}`],
])('the argument %s is shown as %s', (argument, shown, previous = 'x') => {
  const text = `[[servers.proxied.stdio]]\nname = "s"\ncommand = ${JSON.stringify([previous, argument])}\n`
  expect(documentOf(maskConfigText(text))).toMatchObject({
    servers: { proxied: { stdio: [{ command: [previous, shown] }] } },
  })
  expect(unmaskText(text, maskConfigText(text)).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
})

test.each<[string, (document: unknown) => void, string]>([
  [
    'a server that is new',
    (document) =>
      listAt(document, ['servers', 'proxied', 'stdio']).push({
        name: 'x',
        command: ['x'],
        env: { A: '********' },
      }),
    'servers.proxied.stdio[2].env.A is masked, and there is no value to keep',
  ],
  [
    'a server that has another name',
    (document) => set(document, ['servers', 'proxied', 'stdio', 1], 'name', 'renamed'),
    'servers.proxied.stdio[1].env.PLAIN is masked',
  ],
  [
    'a variable that is new',
    (document) => set(document, ['servers', 'proxied', 'stdio', 0, 'env'], 'NEW', '********'),
    'servers.proxied.stdio[0].env.NEW is masked',
  ],
  [
    'another address',
    (document) =>
      set(document, ['servers', 'proxied', 'streamable-http', 0], 'url', 'https://evil.example.org/mcp'),
    'a secret is not handed to another address',
  ],
  [
    'one of two keys that look the same',
    (document) => listAt(document, ['authentication', 'api_key', 'keys']).push('********'),
    'authentication.api_key.keys[0] is masked, and there is no value to keep, or not one alone',
  ],
  [
    'a key of somebody else',
    (document) => set(document, ['authentication', 'api_key', 'keys', 1], 'subject', 'eve'),
    'authentication.api_key.keys[1].key is masked',
  ],
  [
    'a part of a secret',
    (document) => set(document, ['servers', 'proxied', 'streamable-http', 0], 'auth_token', '********1'),
    'servers.proxied.streamable-http[0].auth_token is masked',
  ],
])('a mask is refused for %s', (_, change, sentence) => {
  const document = masked()
  change(document)
  expect(() => applyDocument(TEXT, document)).toThrow(sentence)
})

test('of two plain keys that look the same, both must be there', () => {
  const text = '[authentication.api_key]\nkeys = ["hush-1-0123456789abc", "hush-2-0123456789abc"] # two\n'
  const keys = (...list: readonly string[]) => ({ authentication: { api_key: { keys: list } } })
  expect(applyDocument(text, keys('********', '********'))).toBe(text)
  expect(applyDocument(text, keys('new-3-0123456789abcd'))).toContain('["new-3-0123456789abcd"] # two')
  expect(applyDocument(text, keys('********', 'new-3-0123456789abcd', '********'))).toContain(
    '["hush-1-0123456789abc", "new-3-0123456789abcd", "hush-2-0123456789abc"]',
  )
  expect(() => applyDocument(text, keys('********'))).toThrow('not one alone')
})

test('a masked text with a fault says where', () => {
  const text = maskConfigText(TEXT).replace('name = "git"', 'name = "other"')
  expect(() => unmaskText(TEXT, text)).toThrow(
    'line 23, column 1: servers.proxied.stdio[1].env.PLAIN is masked',
  )
})

test('the program of a remote server keeps its secrets at another address', () => {
  const text =
    '[[servers.proxied.sse]]\nname = "a"\nurl = "http://localhost:1/"\ncommand = ["x"]\nenv = { A = "hush" }\n'
  const next = maskConfigText(text).replace(':1/', ':2/')
  expect(unmaskText(text, next)).toBe(text.replace(':1/', ':2/'))
})

test.each<[string, unknown, RegExp]>([
  ['no object', [], /object of tables/],
  ['nothing', null, /object of tables/],
  ['null', { composer: { name: null } }, /composer.name is null/],
  ['a prototype', JSON.parse('{"__proto__": {"x": 1}}'), /__proto__ is no name/],
  ['a constructor', { composer: { constructor: 1 } }, /composer.constructor is no name/],
  ['nests without end', nested(5000), /nests more than 16/],
  ['a number beyond numbers', { composer: { port: 2 ** 60 } }, /too large a number/],
  ['half a character', { composer: { name: '\ud800' } }, /half a character/],
])('a document with %s is refused', (_, document, sentence) => {
  expect(() => applyDocument('', document)).toThrow(sentence)
})

test('what a document says in the keys cannot leave them', () => {
  const text = applyDocument('', {
    'a"]\n[authentication]\nenabled = false #': 1,
    composer: { 'x = 1\ny': 'z' },
  })
  expect(Object.keys(documentOf(text))).toEqual(['a"]\n[authentication]\nenabled = false #', 'composer'])
  expect(faultsOf(text)).toHaveLength(2)
})

function caught(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

function masked(): unknown {
  return JSON.parse(JSON.stringify(maskedDocument(documentOf(TEXT))))
}

function listAt(document: unknown, path: Path): unknown[] {
  const list = valueAt(document, path)
  if (!Array.isArray(list)) throw new Error(`no list at ${path.join('.')}`)
  return list
}

function set(document: unknown, path: Path, key: string, value: unknown): void {
  Object.assign(Object(valueAt(document, path)), { [key]: value })
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = { a: value }
  return value
}
