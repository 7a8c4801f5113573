import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { discoverServers } from './discover-servers.ts'
import { printToml } from './print-toml.ts'

const SECRET = 's3cretV4lue'

test('a program, an address and an old address, each in its table', () => {
  const toml = print({
    files: { command: 'npx', args: ['-y', '@scope/files', '/srv/data'], cwd: '/srv' },
    off: { command: 'npx', disabled: true },
    web: { type: 'http', url: 'https://example.org/mcp?read_only=true' },
    old: { type: 'sse', url: 'https://example.org/sse' },
  })
  expect(parse(toml)).toEqual({
    servers: {
      proxied: {
        stdio: [
          { name: 'files', command: ['npx', '-y', '@scope/files', '/srv/data'], working_dir: '/srv' },
          { name: 'off', enabled: false, command: ['npx'] },
        ],
        'streamable-http': [{ name: 'web', url: 'https://example.org/mcp?read_only=true' }],
        sse: [{ name: 'old', url: 'https://example.org/sse' }],
      },
    },
  })
  expect(toml).toContain('# From Claude Code (/work/.mcp.json)')
  expect(toml).not.toContain('Set before')
})

test('values of variables and headers are variables of ours, named in a comment', () => {
  const toml = print({
    'git hub': { command: 'npx', env: { TOKEN: SECRET, EMPTY: '' } },
    web: { url: 'https://example.org/mcp', headers: { Authorization: `Bearer ${SECRET}`, 'X-Key': SECRET } },
  })
  expect(parse(toml)).toMatchObject({
    servers: {
      proxied: {
        stdio: [{ env: { TOKEN: `\${GIT_HUB_TOKEN}`, EMPTY: '' } }],
        'streamable-http': [
          { headers: { Authorization: `\${WEB_AUTHORIZATION}`, 'X-Key': `\${WEB_X_KEY}` } },
        ],
      },
    },
  })
  expect(toml).toContain('# Set before you start it: GIT_HUB_TOKEN\n')
  expect(toml).toContain('# Set before you start it: WEB_AUTHORIZATION, WEB_X_KEY\n')
})

test.each([
  [`\${NAME}`, `\${NAME}`],
  [`\${env:NAME}`, `\${NAME}`],
  ['{env:NAME}', `\${NAME}`],
  ['$NAME', `\${NAME}`],
  [`\${NAME:-${SECRET}}`, `\${NAME}`],
  [`Bearer \${env:NAME}`, `Bearer \${NAME}`],
  [`\${input:some-key}`, `\${IT_SOME_KEY}`],
  [`${SECRET}\${NAME}`, `\${IT_VALUE}`],
  ['$5 and more', `\${IT_VALUE}`],
])('a client’s own reference %j becomes %j', (text, expected) => {
  const toml = print({ it: { command: 'npx', env: { VALUE: text } } })
  expect(parse(toml)).toMatchObject({ servers: { proxied: { stdio: [{ env: { VALUE: expected } }] } } })
  expect(toml).not.toContain(SECRET)
})

test.each([
  [['--api-key', SECRET]],
  [[`--token=${SECRET}`]],
  [['-e', `GITHUB_TOKEN=${SECRET}`]],
  [['-e', `PLAIN=${SECRET}`]],
  [['--header', `Authorization: Bearer ${SECRET}`]],
  [['--header', `Authorization:${SECRET}`]],
  [[`postgresql://ada:${SECRET}@localhost/db`]],
  [[`sk-${SECRET}`]],
  [[`ghp_${SECRET}`]],
  [[`${SECRET}${SECRET}`]],
  [[`--url=https://ada:${SECRET}@example.org`]],
])('a secret among the arguments is not printed: %j', (args) => {
  const toml = print({ it: { command: 'npx', args: ['-y', 'some-server', ...args] } })
  expect(toml).not.toContain(SECRET)
  expect(toml).toMatch(/# Set before you start it: IT_\w+\n/)
  expect(parse(toml)).toMatchObject({ servers: { proxied: { stdio: [{ name: 'it' }] } } })
})

test('what says what is run is printed as it is', () => {
  const args = [
    ...['-y', '@modelcontextprotocol/server-filesystem', 'mcp-server-time@2025.8.4', 'mcp-remote@0.1.16'],
    ...['skills-server', 'sk-learn', 'npm-server', 'server-postgres-v16-extended', 'ghcr.io/org/image:1.2.3'],
    ...['--port', '8080', '--read-only', '--local-timezone=Europe/Paris', '/home/ada/Documents', '~/notes'],
    ...['https://example.org/mcp', 'localhost:3000', '--log-level', 'debug'],
  ]
  const toml = print({ it: { command: 'npx', args } })
  expect(parse(toml)).toEqual({
    servers: { proxied: { stdio: [{ name: 'it', command: ['npx', ...args] }] } },
  })
  expect(toml).not.toContain('Set before')
})

test.each([
  [`https://example.org/mcp?api_key=${SECRET}`, `https://example.org/mcp?api_key=\${IT_URL_API_KEY}`],
  [`https://example.org/mcp?id=${SECRET}&mode=fast`, `https://example.org/mcp?id=\${IT_URL_ID}&mode=fast`],
  [`https://ada:${SECRET}@example.org/mcp`, `https://\${IT_URL_USER}@example.org/mcp`],
  [`https://example.org/s/${SECRET}${SECRET}/mcp`, `https://example.org/s/\${IT_URL_PATH}/mcp`],
  [`https://example.org/mcp?key=true`, `https://example.org/mcp?key=\${IT_URL_KEY}`],
  [`https://\${env:HOST}/mcp`, `https://\${HOST}/mcp`],
])('a secret in an address is not printed: %s', (url, expected) => {
  const toml = print({ it: { type: 'http', url } })
  expect(parse(toml)).toMatchObject({ servers: { proxied: { 'streamable-http': [{ url: expected }] } } })
  expect(toml).not.toContain(SECRET)
})

test('two values never share a variable by accident', () => {
  const toml = print({
    'a.b': { command: 'x', env: { C: 'one' } },
    'a-b': { command: 'x', env: { C: 'two', 'c-': 'three', OTHER: `\${A_B_C_2}` } },
  })
  const { stdio } = Object(parse(toml).servers).proxied
  expect(stdio.map(({ env }: { env: unknown }) => env)).toEqual([
    { C: `\${A_B_C}` },
    { C: `\${A_B_C_3}`, 'c-': `\${A_B_C_4}`, OTHER: `\${A_B_C_2}` },
  ])
})

test('hostile texts stay texts', () => {
  const hostile = `a"]\n[evil]\nx = "\u0000\u007f\ud800 $HOME $$ \${} #`
  const toml = print(
    { [hostile]: { command: hostile, args: [hostile], env: { [hostile]: 'v' } } },
    `/work\n[evil]`,
  )
  const parsed = parse(toml)
  expect(Object.keys(parsed)).toStrictEqual(['servers'])
  const { stdio } = Object(parsed.servers).proxied
  expect(stdio[0].command).toStrictEqual(
    [hostile, hostile].map((text) => text.toWellFormed().replaceAll('$', '$$$$')),
  )
  expect(Object.keys(stdio[0].env)).toStrictEqual([hostile.toWellFormed()])
})

function print(mcpServers: Readonly<Record<string, unknown>>, cwd = '/work'): string {
  const machine = {
    home: '/home/ada',
    cwd,
    platform: 'linux',
    readFile: (path: string) => (path === `${cwd}/.mcp.json` ? JSON.stringify({ mcpServers }) : undefined),
  } as const
  return printToml(discoverServers(machine).servers, machine)
}
