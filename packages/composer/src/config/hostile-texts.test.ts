import { expect, test } from 'vitest'
import { faultsOf, parse, remote, stdio } from './config.fixture.ts'

test.each<[string, string, RegExp]>([
  ['ten mebibytes', `# ${'x'.repeat(10 * 1024 * 1024)}`, /larger than 1 MiB/],
  ['binary', 'a = "\0"', /not a text file/],
  ['lists in lists', `a = ${'['.repeat(5000)}${']'.repeat(5000)}`, /nested/],
  ['tables in tables', `a = ${'{a='.repeat(5000)}1${'}'.repeat(5000)}`, /nested/],
  ['dots without end', `${'a.'.repeat(20_000)}a = 1`, /nests/],
  ['a header without end', `[${'a.'.repeat(20_000)}a]`, /nests/],
  ['a prototype', '__proto__ = 1', /rename it/],
  ['a prototype as a table', '[servers.__proto__]\nx = 1', /rename it/],
  ['a constructor', 'constructor.prototype.x = 1', /rename it/],
  ['a key twice', '[api]\nport = 1\nport = 2', /not valid TOML/],
  ['a table twice', '[api]\n[api]', /not valid TOML/],
  ['half a table', '[[servers.proxied.stdio]\nname = "x"', /not valid TOML/],
  ['half a string', 'composer.name = "x', /not valid TOML/],
  ['a number beyond numbers', 'composer.port = 99999999999999999999', /not valid TOML/],
  ['a list for a table', 'composer = []', /composer must be a table/],
  ['a text for a table', 'servers = "x"', /servers must be a table/],
  ['a table for a list', '[servers.proxied.stdio]\nname = "x"', /must be written as \[\[servers/],
  ['a date', 'composer.name = 2020-01-01', /must be a text/],
  ['no number', 'composer.port = nan', /whole number/],
  ['no end', 'composer.port = inf', /whole number/],
])('%s: one sentence', (_, text, sentence) => {
  expect(faultsOf(text)).toEqual([expect.stringMatching(sentence)])
})

test('faults are told up to a bound', () => {
  const text = Array.from({ length: 900 }, () => '[[servers.proxied.stdio]]\nx = 1\n').join('')
  expect(parse(text).faults).toHaveLength(500)
})

test('a thousand servers are enough', () => {
  const text = Array.from({ length: 1001 }, () => '[[servers.proxied.stdio]]\n').join('')
  expect(faultsOf(text)).toEqual(['servers holds more than 1000 servers'])
})

test.each([
  ['', 'may hold'],
  ['a:b', 'may hold'],
  ['a__b', '"__"'],
  ['-a', 'begins with a letter'],
  ['.hidden', 'begins with a letter'],
  ['a/b', 'may hold'],
  ['a b', 'may hold'],
  ['é', 'may hold'],
  ['composer', 'is not "composer"'],
  ['x'.repeat(65), 'at most 64'],
])('a server may not be called "%s"', (name, sentence) => {
  expect(faultsOf(`[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ["x"]`)).toEqual([
    expect.stringContaining(sentence),
  ])
})

test.each([
  ['command = "npx x"', /must be a list/],
  ['command = []', /must not be empty/],
  ['command = [""]', /begin with the program/],
  ['command = [5]', /must be a text/],
  ['command = ["a\\u0000b"]', /NUL/],
])('%s is refused', (line, sentence) => {
  expect(faultsOf(`[[servers.proxied.stdio]]\nname = "x"\n${line}`)).toEqual([
    expect.stringMatching(sentence),
  ])
})

test.each([
  ['env = { "" = "x" }', /is no name of a variable/],
  ['env = { "A=B" = "x" }', /is no name of a variable/],
  ['env = { A = "x\\u0000" }', /NUL/],
  ['env = { A = 1 }', /in quotes/],
  ['env = "A=B"', /must be a table/],
  ['timeout = -1', /from 0.1/],
  ['timeout = 0', /from 0.1/],
  ['max_in_flight = 0', /from 1/],
  ['max_in_flight = 1.5', /whole number/],
  ['lazy = 1', /true or false/],
  ['lazy = "yes"', /true or false/],
  ['restart_policy = "sometimes"', /must be "never", "on-failure", "on_failure" or "always"/],
  ['working_dir = ""', /must not be empty/],
  ['log_file = "a\\nb"', /control character/],
])('of a command, %s is refused', (line, sentence) => {
  expect(faultsOf(stdio(line))).toEqual([expect.stringMatching(sentence)])
})

test.each([
  ['headers = { "X Y" = "x" }', /is no name of a header/],
  ['headers = { X = "a\\r\\nHost: evil" }', /characters that a header cannot have/],
  ['headers = { Host = "evil" }', /set by the transport/],
  ['headers = { Mcp-Session-Id = "x" }', /set by the transport/],
  ['auth_token = "a\\nb"', /control character|cannot have/],
  ['auth_token = ""', /must not be empty/],
  ['auth_token = "x"\nheaders = { authorization = "y" }', /the same as auth_token/],
])('of a remote server, %s is refused', (line, sentence) => {
  expect(faultsOf(remote(line)).join('\n')).toMatch(sentence)
})

test.each([
  ['localhost:80/mcp', /begins with http/],
  ['ftp://x/y', /begins with http/],
  ['javascript:alert(1)', /begins with http/],
  ['file:///etc/passwd', /begins with http/],
  ['', /begins with http/],
  ['http://ann:pw@x.org/', /holds a password/],
])('the address "%s" is refused', (url, sentence) => {
  expect(faultsOf(`[[servers.proxied.sse]]\nname = "x"\nurl = "${url}"`)).toEqual([
    expect.stringMatching(sentence),
  ])
})

test.each(['mcp', '/mcp/', '//mcp', '/a/../b', '/a b', '/a?b', '/', ''])(
  'the path "%s" is refused',
  (path) => {
    expect(faultsOf(`transport.streamable_http_path = "${path}"`)).toEqual([
      expect.stringContaining('must be a path'),
    ])
  },
)
