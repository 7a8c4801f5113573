import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { BASE_DIR, configOf, faultsOf, parse, remote, serverOf, stdio } from './config.fixture.ts'

test('every fault is told at once, each with its place', () => {
  verifies('CO-CFG-6', 'CO-FILE-2')
  const text = `[composer]
prot = 80
port = 99999

[[servers.proxied.stdio]]
name = "no:colon"
command = []
env = { A = "\${MISSING}", B = 5 }

[[servers.proxied.sse]]
name = "remote"
url = "ftp://x"

[authentication]
enabled = true
`
  expect(parse(text).faults.map(({ path, line, column }) => `${line}:${column} ${path}`)).toEqual([
    '2:1 composer.prot',
    '3:1 composer.port',
    '6:1 servers.proxied.stdio[0].name',
    '7:1 servers.proxied.stdio[0].command',
    '8:14 servers.proxied.stdio[0].env.A',
    '8:27 servers.proxied.stdio[0].env.B',
    '12:1 servers.proxied.sse[0].url',
    '15:1 authentication.enabled',
  ])
})

test('an unknown key is refused, with the one that was probably meant', () => {
  verifies('CO-FILE-1')
  expect(faultsOf(stdio('restart_polcy = "always"'))).toEqual([
    'servers.proxied.stdio[0].restart_polcy is not a known key: did you mean "restart_policy"?',
  ])
  expect(faultsOf('[compser]\nname = "x"')).toEqual(['compser is not a known key: did you mean "composer"?'])
  expect(faultsOf('[api]\nzzzzzzzz = 1')).toEqual([expect.stringContaining('here are enabled, path_prefix')])
})

test('what is missing is told where it should be', () => {
  expect(parse('\n[[servers.proxied.stdio]]\nname = "x"').faults).toEqual([
    {
      path: 'servers.proxied.stdio[0].command',
      line: 2,
      column: 1,
      message: 'is missing: it must be a list, the program first: command = ["npx", "-y", "some-server"]',
    },
  ])
})

test('a text that is no TOML is told with line and column, and without what it says', () => {
  const { faults } = parse('[composer]\nname = "hidden-secret')
  expect(faults).toEqual([
    {
      path: '',
      line: 2,
      column: 8,
      message: 'is not valid TOML: the text ends in the middle of a string: close the quote',
    },
  ])
})

test.each([
  ['"', '\n'],
  ["'", '\n'],
  ['"', '\r\n'],
  ['["a", "', '\n'],
])('a quote that is not closed on its line is told as such: %j before %j', (quote, end) => {
  const { faults } = parse(`[composer]${end}name = ${quote}hidden-secret${end}port = 80${end}`)
  expect(faults).toEqual([
    expect.objectContaining({
      line: 2,
      message: 'is not valid TOML: the line ends in the middle of a string: close the quote',
    }),
  ])
})

test('a control character within a line is told as such', () => {
  expect(faultsOf('composer.name = "a\u0001b"')).toEqual([expect.stringContaining('control characters')])
})

test('variables come before types, so that they can be numbers and switches', () => {
  const text = `composer.port = "\${PORT}"\n${stdio(`timeout = "\${T:-2.5}"\nlazy = "\${LAZY:-true}"`)}`
  const config = configOf(text, { PORT: '8123' })
  expect(config.composer.port).toBe(8123)
  expect(config.servers[0]).toMatchObject({ limits: { timeoutMs: 2500 }, lazy: true })
  expect(faultsOf(text, { PORT: 'many' })).toEqual(['composer.port must be a whole number from 1 to 65535'])
})

test.each(['QUIRE_CONFIG_DIR', 'MCP_COMPOSE_CONFIG_DIR'])('%s is the folder of the file', (name) => {
  expect(serverOf(stdio(`working_dir = "\${${name}}/work"`), 'stdio').workingDir).toBe(`${BASE_DIR}/work`)
})

test.each(['max_restarts', 'max_reconnect_attempts'])('%s may be without end', (key) => {
  const maxOf = (value: string) =>
    configOf((key === 'max_restarts' ? stdio : remote)(`${key} = ${value}`), { N: '-1' }).servers[0]?.restart
      .maxRestarts
  expect(['-1', `"\${N}"`, '0', '10', '100000'].map(maxOf)).toEqual([Infinity, Infinity, 0, 10, 100_000])
  for (const value of ['-2', '100001', '1.5', '"x"'])
    expect(() => maxOf(value)).toThrow('must be a whole number from 0 to 100000, or -1 for without end')
})

test('a variable that is not set is named, once, with its place', () => {
  verifies('CO-FILE-3')
  expect(parse(`composer.name = "a \${NOPE} b"`).faults).toEqual([
    {
      path: 'composer.name',
      line: 1,
      column: 20,
      message: `needs the variable NOPE, which is not set: set it, or write \${NOPE:-default}`,
    },
  ])
})

test('the value of a variable is never told', () => {
  const text = `composer.port = "\${SECRET}"\napi.path_prefix = "\${SECRET}"\n${stdio(`restart_policy = "\${SECRET}"`)}`
  const faults = faultsOf(text, { SECRET: 'hush-hush' })
  expect(faults).toHaveLength(3)
  expect(JSON.stringify(faults)).not.toContain('hush')
})

test.each([
  ['dollars', 'a $$ b $$$$', 'a $ b $$'],
  ['an escaped variable', `$\${HOME}`, `\${HOME}`],
  ['a default', `\${NONE:-fallback}`, 'fallback'],
  ['a default for what is empty', `\${EMPTY:-fallback}`, 'fallback'],
  ['an empty default', `a\${NONE:-}b`, 'ab'],
  ['a lone dollar', 'cost 5$', 'cost 5$'],
  ['what a value says is not read again', `\${NESTED}`, `\${HOME}`],
])('%s', (_, written, meant) => {
  const environment = { HOME: '/home', EMPTY: '', NESTED: `\${HOME}` }
  expect(configOf(`composer.name = '${written}'`, environment).composer.name).toBe(meant)
})

test.each([
  `\${`,
  `\${}`,
  `\${A`,
  `\${1A}`,
  `\${A B}`,
  `\${A:+x}`,
  `\${A:-\${B}}`,
  `\${__proto__}`,
  `\${toString}`,
])('%s is a fault', (written) => {
  expect(faultsOf(`composer.name = '${written}'`, { A: 'a' })).toEqual([
    expect.stringMatching(/begins no variable|is not set/),
  ])
})

test('a file may be without servers', () => {
  expect(configOf('[servers]').servers).toEqual([])
})

test('a file without anything has the defaults of the house', () => {
  expect(configOf('')).toMatchObject({
    composer: { name: 'quire', logLevel: 'info', port: undefined },
    transport: { streamableHttp: { enabled: true, path: '/mcp' }, sse: { enabled: false } },
    authentication: { enabled: false },
    api: { enabled: true, pathPrefix: '/api/v1', corsOrigins: [], docs: true },
    tools: { strategy: 'prefix', template: '{server_name}_{tool_name}', mode: 'full' },
  })
})
