import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { commandsOf } from './commands.ts'
import { configOf } from './config.fixture.ts'
import { foreignCommands } from './foreign-commands.ts'
import { foreignVariables } from './foreign-variables.ts'

const server = (name: string, command: readonly string[], lines = '') =>
  `[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ${JSON.stringify(command)}\n${lines}\n`

const PRESENT = [
  server('files', ['npx', '-y', 'files'], 'env = { LEVEL = "1", NODE_OPTIONS = "--max-old-space-size=99" }'),
  server('shell', ['bash', '-c', 'exec mcp'], 'working_dir = "/srv"'),
  server('off', ['python3', 'server.py'], 'enabled = false'),
  '[[servers.proxied.sse]]\nname = "far"\nurl = "http://localhost:1/"\ncommand = ["serve", "--now"]',
  '[[servers.embedded.servers]]\nname = "inside"\npackage = "./inside.ts"',
  '[monitoring]\naudit_file = "/var/log/audit"',
].join('\n')

const foreign = (text: string, allowed: readonly string[] = []) =>
  foreignCommands(configOf(text), { present: configOf(PRESENT), allowed })

test('all that a configuration runs is listed', () => {
  expect(
    commandsOf(configOf(PRESENT)).map((command) => [command.server, ...command.command].join(' ')),
  ).toEqual(['files npx -y files', 'shell bash -c exec mcp', 'far serve --now', 'off python3 server.py'])
})

test('what stands in the file may stay, move, be renamed, and be turned on and off', () => {
  expect(foreign(PRESENT)).toEqual([])
  expect(
    foreign(PRESENT.replace('"shell"', '"renamed"').replace('enabled = false', 'enabled = true')),
  ).toEqual([])
  expect(foreign('[[servers.proxied.sse]]\nname = "x"\nurl = "https://anywhere.example.org/"')).toEqual([])
})

test.each<[string, string]>([
  ['another program', server('x', ['curl', 'evil'])],
  ['another argument', PRESENT.replace('"files"]', '"evil"]')],
  ['one argument more', PRESENT.replace('"files"]', '"files", "--evil"]')],
  ['another variable', PRESENT.replace('LEVEL = "1"', 'LEVEL = "2"')],
  ['one variable less', PRESENT.replace('LEVEL = "1", ', '')],
  ['one variable more', PRESENT.replace('LEVEL = "1"', 'LEVEL = "1", LD_PRELOAD = "/tmp/x.so"')],
  ['another folder', PRESENT.replace('"/srv"', '"/tmp"')],
  ['the same program elsewhere', PRESENT.replace('"npx"', '"/tmp/npx"')],
  ['a server that is off', server('x', ['curl'], 'enabled = false')],
  ['a program of a remote server', PRESENT.replace('"--now"', '"--later"')],
  ['another module', PRESENT.replace('./inside.ts', './other.ts')],
  ['a module that is off', '[[servers.embedded.servers]]\nname = "x"\npackage = "x"\nenabled = false'],
  [
    'another log file',
    PRESENT.replace('working_dir = "/srv"', 'working_dir = "/srv"\nlog_file = "/root/.profile"'),
  ],
  ['another audit file', PRESENT.replace('/var/log/audit', '/root/.profile')],
  ['a log file of our own', `${PRESENT}\n[monitoring.logging]\nlog_file = "/root/.profile"`],
])('%s is foreign', (_, text) => {
  expect(foreign(text)).toHaveLength(1)
})

test('a program that is allowed may come with arguments and variables of its own', () => {
  verifies('CO-CMD-1')
  const text = server(
    'x',
    ['npx', '-y', '@scope/server', '--root', '/data'],
    'env = { API_TOKEN = "x", NODE_ENV = "production" }\nworking_dir = "/data"',
  )
  expect(foreign(text)).toHaveLength(1)
  expect(foreign(text, ['npx'])).toEqual([])
  expect(foreign(server('x', ['/usr/bin/npx', 'y']), ['/usr/bin/npx'])).toEqual([])
})

test.each<[string, readonly string[]]>([
  ['a program of that name elsewhere', ['/tmp/npx', 'x']],
  ['a program of that name in the folder', ['./npx', 'x']],
  ['a longer name', ['npx2']],
  ['another case', ['NPX']],
  ['blanks around it', ['npx ']],
  ['a path to it', ['../npx']],
  ['a relative path that was allowed', ['bin/run']],
  ['code behind -c', ['node', '-c', 'x']],
  ['code behind -e', ['node', '-e', 'x']],
  ['code behind -p', ['node', '-p', 'x']],
  ['code behind -pe', ['node', '-pe', 'x']],
  ['code behind --eval', ['node', '--eval', 'x']],
  ['code with --eval=', ['node', '--eval=x']],
  ['code with --print', ['node', '--print', 'x']],
  ['code behind -lc', ['bash', '-lc', 'x']],
  ['code right behind -c', ['python3', '-cimport os']],
  ['code with -Ic', ['python3', '-Ic', 'x']],
  ['code with -E', ['perl', '-E', 'x']],
  ['code with eval', ['deno', 'eval', 'x']],
  ['code as an address', ['node', '--import', 'data:text/javascript,x']],
  ['code as an address, joined', ['node', '--import=data:text/javascript,x']],
  ['code as a program', ['deno', 'run', 'data:text/javascript,x']],
  ['a module before the program', ['node', '--require', '/tmp/x.js', 'server.js']],
  ['a command behind --call', ['npx', '--call', 'x']],
])('what is allowed does not allow %s', (_, command) => {
  expect(
    foreign(server('x', command), ['npx', 'node', 'bash', 'python3', 'perl', 'deno', 'bin/run']),
  ).toHaveLength(1)
})

test.each([
  'PATH',
  'Path',
  'HOME',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'BASH_ENV',
  'ENV',
  'npm_config_registry',
  'UV_INDEX_URL',
  'PIP_INDEX_URL',
  'GIT_SSH_COMMAND',
])('what is allowed does not allow the variable %s', (name) => {
  expect(foreign(server('x', ['npx', 'y'], `env = { ${name} = "x" }`), ['npx'])).toEqual([
    expect.stringContaining(`sets ${name}`),
  ])
})

test('a sentence holds no value of a variable and no argument', () => {
  const [sentence = ''] = foreign(server('x', ['curl', '--key', 'hush'], 'env = { A = "hush" }'))
  expect(sentence).toContain('Server "x"')
  expect(sentence).not.toContain('hush')
})

const far = (lines: string) => `[[servers.proxied.sse]]\nname = "far"\n${lines}\n`
const OLD = `composer.port = "\${PORT:-80}"\n${far(`url = "https://far.example.org/a"\nauth_token = "\${FAR_TOKEN}"`)}`

test.each<[string, string, number]>([
  ['the same', OLD, 0],
  ['another path of the same address', OLD.replace('/a"', '/b"'), 0],
  ['the same variable in another place of the same server', OLD.replace('auth_token = ', 'headers.X = '), 0],
  ['the folder of the file', `composer.name = "\${QUIRE_CONFIG_DIR}"`, 0],
  ['an escaped one', `composer.name = "$\${HOME}"`, 0],
  ['the same variable for another address', OLD.replace('far.example', 'evil.example'), 1],
  ['the same variable for a server of another name', OLD.replace('"far"', '"evil"'), 1],
  ['another variable', OLD.replace('FAR_TOKEN', 'COMPOSER_API_KEYS'), 1],
  ['a variable of a server in a setting', OLD.replace('PORT:-80', 'FAR_TOKEN'), 1],
  ['a variable in an address', far(`url = "https://evil.example.org/\${HOME}"`), 1],
])('variables: %s', (_, text, count) => {
  expect(foreignVariables(OLD, text)).toHaveLength(count)
})
