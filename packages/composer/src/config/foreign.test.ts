import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { commandsOf } from './commands.ts'
import { configOf } from './config.fixture.ts'
import { foreignCommands, toSentence } from './foreign-commands.ts'
import { foreignVariables } from './foreign-variables.ts'
import { parseConfig } from './parse-config.ts'

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
  foreignCommands(configOf(text), { present: configOf(PRESENT), allowed }).map(toSentence)

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
  ['a module behind -r', ['node', '-r', '/tmp/x.js', 'server.js']],
  ['a module right behind -r', ['node', '-r/tmp/x.js']],
  ['code behind -r', ['php', '-r', 'x']],
  ['code behind -i', ['node', '-i']],
  ['code behind -qi', ['python3', '-qi', 'server.py']],
  ['a container that does more than read', ['docker', 'run', '-i', '--entrypoint', 'sh', 'image', '-c', 'x']],
  ['a module behind -m', ['python3', '-m', 'http.server']],
  ['a module behind -um', ['python3', '-um', 'http.server']],
  ['a module right behind -m', ['python3.12', '-mhttp.server']],
  ['a module of a Python elsewhere', ['/opt/bin/python', '-I', '-m', 'x']],
  ['a module behind -M', ['perl', '-MSocket', 'x.pl']],
  ['a debugger', ['node', '--inspect', 'server.js']],
  ['a debugger for everybody', ['node', '--inspect-brk=0.0.0.0:9229', 'server.js']],
  ['a debugger in other letters', ['node', '--inspect_brk', 'server.js']],
  ['options from a file', ['node', '--env-file=/tmp/x', 'server.js']],
  ['options from a file in other letters', ['node', '--env_file=/tmp/x', 'server.js']],
  ['a module before the program, in other letters', ['node', '--experimental_loader=/tmp/x.js', 's.js']],
])('what is allowed does not allow %s', (_, command) => {
  expect(
    foreign(server('x', command), [
      ...['npx', 'node', 'bash', 'python3', 'python3.12', 'perl', 'deno', 'php', 'docker'],
      ...['bin/run', '/opt/bin/python'],
    ]),
  ).toHaveLength(1)
})

test.each<[readonly string[]]>([
  [['docker', 'run', '-i', '--rm', 'image']],
  [['java', '-jar', 'server.jar']],
  [['python3', 'server.py', '--mode', 'x']],
  [['node', 'server.js', '-m', '--root', '/srv']],
])('what is allowed may come as %j', (command) => {
  expect(foreign(server('x', command), ['docker', 'java', 'python3', 'node'])).toEqual([])
})

test('a module that stands in the file may stay', () => {
  const text = server('x', ['python3', '-m', 'mcp_server'])
  expect(foreignCommands(configOf(text), { present: configOf(text), allowed: [] })).toEqual([])
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
const OLD = `composer.port = "\${PORT:-80}"
authentication.enabled = true
authentication.jwt = { jwks_url = "https://id.example.org/\${TENANT}", issuer = "i", audience = "a" }
[[authentication.api_key.keys]]
key = "\${ADMIN_KEY}"
subject = "ada"
[[authentication.api_key.keys]]
key = "\${OTHER_KEY}"
${far(`url = "https://far.example.org/a"\nauth_token = "\${FAR_TOKEN}"`)}
[[servers.proxied.streamable-http]]
name = "near"
url = "https://\${NEAR_HOST}/a"
headers.X = "\${NEAR_TOKEN}"
${server('run', ['node', 'run.js', `\${RUN_ARGUMENT}`], `env = { LEVEL = "1", A_TOKEN = "\${RUN_TOKEN}" }`)}`
const inRun = (line: string) => OLD.replace('name = "run"', `name = "run"\n${line}`)

test.each<[string, string, number]>([
  ['the same', OLD, 0],
  ['another path of the same address', OLD.replace('.org/a"', '.org/b"'), 0],
  ['a server in another list', OLD.replace('proxied.sse', 'proxied.http'), 0],
  ['one item less before it', OLD.replace(/\[\[auth[^[]*ada"\n/, ''), 0],
  ['a secret written anew beside it', OLD.replace('LEVEL', 'B_TOKEN = "x", LEVEL'), 0],
  ['the folder of the file', `composer.name = "\${QUIRE_CONFIG_DIR}"`, 0],
  ['an escaped one', `composer.name = "$\${HOME}"`, 0],
  ['the same variable for another address', OLD.replace('far.example', 'evil.example'), 1],
  ['the same variable for another port', OLD.replace('far.example.org/', 'far.example.org:444/'), 1],
  ['the same variable without encryption', OLD.replace('https://far', 'http://far'), 1],
  [
    'an address that our folder ends',
    OLD.replace('far.example.org/a', `evil.example.org\${QUIRE_CONFIG_DIR:-@far.example.org/}x`),
    1,
  ],
  ['an address with a dollar sign', OLD.replace('far.example.org/a', 'far.example.org/$$'), 1],
  ['an address that had a variable', OLD.replace(`\${NEAR_HOST}`, 'evil.example.org'), 1],
  ['an address that goes on behind its variable', OLD.replace(`NEAR_HOST}/a`, 'NEAR_HOST}.evil/a'), 2],
  ['the same variable for a server of another name', OLD.replace('"far"', '"evil"'), 1],
  ['another variable', OLD.replace('FAR_TOKEN', 'COMPOSER_API_KEYS'), 1],
  ['a variable of a server in a setting', OLD.replace('PORT:-80', 'FAR_TOKEN'), 1],
  ['a variable in an address', far(`url = "https://evil.example.org/\${HOME}"`), 1],
  ['a token in a header', OLD.replace('auth_token = ', 'headers.X = '), 1],
  ['a token in the address', OLD.replace('.org/a"', `.org/\${FAR_TOKEN}"`), 2],
  ['a key in an address', OLD.replace(`\${TENANT}`, `\${ADMIN_KEY}`), 1],
  ['the variable of an address at another', OLD.replace('id.example', 'evil.example'), 1],
  ['a key of somebody else', OLD.replace('"ada"', '"eve"'), 1],
  ['more words around a variable', OLD.replace(`"\${ADMIN_KEY}"`, `"x\${ADMIN_KEY}"`), 1],
  ['a variable as a version', inRun(`version = "\${RUN_TOKEN}"`), 1],
  ['a variable as a tool', inRun(`health_check_tool = "\${RUN_TOKEN}"`), 1],
  ['a variable in a list of tools', inRun(`include_tools = ["\${RUN_TOKEN}"]`), 1],
  ['a variable as a folder', inRun(`working_dir = "\${RUN_TOKEN}"`), 3],
  ['a variable as a file', inRun(`log_file = "\${RUN_TOKEN}"`), 1],
  ['a variable by another name', OLD.replace('A_TOKEN', 'B_TOKEN'), 1],
  ['another argument', OLD.replace('run.js', 'evil.js'), 2],
  ['one argument more', OLD.replace('"run.js",', '"run.js","--to=evil",'), 2],
  ['another folder', inRun('working_dir = "/tmp"'), 2],
  ['another setting of the program', OLD.replace('LEVEL = "1"', 'API_URL = "https://evil.example.org"'), 2],
])('variables: %s', (_, text, count) => {
  expect(foreignVariables(OLD, text)).toHaveLength(count)
})

test('a variable that the file does not give is not looked up', () => {
  const environment = { GIVEN: 'one', HELD: 'two' }
  const present = `[[servers.proxied.stdio]]\nname = "s"\ncommand = ["x"]\nenv = { A = "\${GIVEN}" }\n`
  const roles = (guess: string, name: string) =>
    `${present}[[authorization.roles]]\nname = "${guess}"\n[[authorization.roles]]\nname = "\${${name}}"\n`
  const faults = (text: string) =>
    parseConfig(text, { environment, baseDir: '/etc', presentText: present }).faults
  expect(faults(present)).toEqual([])
  for (const [name, value] of Object.entries(environment)) {
    const right = faults(roles(value, name))
    expect(right).toMatchObject([{ path: 'authorization.roles[1].name', line: 8 }])
    expect(right[0]?.message).toContain(
      `asks for the variable ${name}, which the configuration file does not`,
    )
    expect(faults(roles('wrong', name))).toEqual(right)
  }
  expect(faults(roles('one', 'UNSET'))).toMatchObject([{ path: 'authorization.roles[1].name' }])
})
