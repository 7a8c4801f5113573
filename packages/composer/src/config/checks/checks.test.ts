import { expect, test } from 'vitest'
import { configOf, faultsOf, parse, remote, stdio, warningsIn } from '../config.fixture.ts'

const KEY = 'k'.repeat(32)
const keys = (list: string) => `[authentication]\nenabled = true\napi_key.keys = ${list}\n`
const access = (key: string, role: string) =>
  `${keys(`[${key}]`)}[authorization]\nenabled = true\n[[authorization.roles]]\n${role}\n`
const roles = (lines: string) => `${keys(`["${KEY}"]`)}[authorization]\nenabled = true\n${lines}\n`

test.each<[string, string, string]>([
  [
    'a name twice in one list',
    stdio() + stdio(),
    'servers.proxied.stdio[1].name is the name of servers.proxied.stdio[0]',
  ],
  ['a name twice in two lists', stdio() + remote(), 'servers.proxied.streamable-http[0].name is the name of'],
  ['a name twice, one of them off', stdio() + stdio('enabled = false'), 'is the name of'],
  [
    'a health check by a tool that is not named',
    stdio('health_check_enabled = true\nhealth_check_method = "tool"'),
    'needs health_check_tool',
  ],
  [
    'a health check by ping with a tool',
    stdio('health_check_enabled = true\nhealth_check_method = "ping"\nhealth_check_tool = "t"'),
    'is never called',
  ],
  [
    'less time in total than for one call',
    stdio('timeout = 60\nmax_total_timeout = 30'),
    'is less than the timeout',
  ],
  [
    'less time in total than for any call',
    `composer.max_tool_invocation_time = 60\n${stdio('max_total_timeout = 30')}`,
    'is less than the timeout',
  ],
  ['authentication without a key', 'authentication.enabled = true', 'nobody could come in'],
  ['authentication with no key in the list', keys('[]'), 'nobody could come in'],
  [
    'authentication with keys that are not asked for',
    `${keys(`["${KEY}"]`)}providers = []`
      .replace('api_key.keys', 'providers = []\napi_key.keys')
      .replace(/providers = \[\]$/, ''),
    'nobody could come in',
  ],
  [
    'jwt without its table',
    '[authentication]\nenabled = true\nproviders = ["jwt"]',
    'needs [authentication.jwt]',
  ],
  [
    'a default that is no provider',
    `${keys(`["${KEY}"]`).replace('api_key.keys', 'default_provider = "jwt"\napi_key.keys')}`,
    'is not among the providers',
  ],
  ['a key twice', keys(`["${KEY}", { key = "${KEY}" }]`), 'is in the list twice'],
  ['a short key', keys('["short"]'), 'at least 16 characters'],
  [
    'a key with a role that is none',
    keys(`[{ key = "${KEY}", roles = ["boss"] }]`),
    'authentication.api_key.keys[0].roles[0] is no role',
  ],
  ['a key with a scope that is none', keys(`[{ key = "${KEY}", scopes = ["all"] }]`), 'must be "tools:list"'],
  [
    'a key set without encryption',
    '[authentication.jwt]\njwks_url = "http://id.example.org/keys"\nissuer = "i"\naudience = "a"',
    'must be https',
  ],
  [
    'authorization without anybody',
    'authorization.enabled = true\n[[authorization.roles]]\nname = "a"',
    'nobody says who calls',
  ],
  ['authorization without roles', roles(''), 'there is no role'],
  [
    'a role twice',
    roles('[[authorization.roles]]\nname = "a"\n[[authorization.roles]]\nname = "a"'),
    'another role too',
  ],
  [
    'a permission that is none',
    roles('[[authorization.roles]]\nname = "a"\npermissions = ["prompts:read"]'),
    'is no permission',
  ],
  [
    'a permission for no tool',
    roles('[[authorization.roles]]\nname = "a"\npermissions = ["tools:execute:"]'),
    'is no permission',
  ],
  [
    'a permission with too many parts',
    roles('[[authorization.roles]]\nname = "a"\npermissions = ["config:read:x"]'),
    'is no permission',
  ],
  [
    'a role that may call nothing by name',
    roles('[[authorization.roles]]\nname = "a"\nscopes = ["tools:invoke"]'),
    'no tool is named',
  ],
  [
    'a limit for a role that is none',
    roles(
      '[authorization.rate_limiting]\nenabled = true\nper_role_limits = { boss = 5 }\n[[authorization.roles]]\nname = "a"',
    ),
    'per_role_limits.boss is no role',
  ],
  [
    'an alias of an alias',
    `${stdio()}[tool_manager.aliases]\na = "s:x"\nb = "a"`,
    'tool_manager.aliases.b leads to another alias',
  ],
  ['an alias of nobody', '[tool_manager.aliases]\na = "none:x"', 'a server that is not in this file'],
  ['an alias of no tool', `${stdio()}[tool_manager.aliases]\na = "s:"`, 'no tool'],
  [
    'an alias that no client takes',
    `${stdio()}[tool_manager.aliases]\n"a:b" = "s:x"`,
    'is no name of a tool',
  ],
  [
    'a template without the tool',
    'tool_manager.custom_template.template = "{server_name}"',
    'must hold {tool_name}',
  ],
  [
    'a template with other holes',
    'tool_manager.custom_template.template = "{tool_name}{x}"',
    '{server_name} and {tool_name}',
  ],
  [
    'a suffix without the version',
    'tool_manager.versioning.version_suffix_format = "_v"',
    'must hold {version}',
  ],
  [
    'two things at one path',
    'transport.streamable_http_path = "/ui"',
    'ui.path overlaps with transport.streamable_http_path',
  ],
  [
    'a path within another',
    'transport.streamable_http_path = "/api/v1/mcp"',
    'overlaps with api.path_prefix',
  ],
  ['a path that is taken', 'transport.streamable_http_path = "/docs"', 'overlaps with the fixed path /docs'],
  ['two ports', 'composer.port = 80\napi.port = 81', 'is another port than composer.port'],
  ['two levels', 'composer.log_level = "INFO"\nmonitoring.logging.level = "debug"', 'is another level'],
  ['a log file that is not named', 'monitoring.logging.output = "both"', 'needs log_file'],
])('%s is a fault', (_, text, sentence) => {
  expect(faultsOf(text)).toEqual([expect.stringContaining(sentence)])
})

test.each([
  [
    '*',
    ['*:*'],
    ['tools:list', 'tools:invoke', 'servers:manage', 'config:read', 'config:write', 'logs:read'],
  ],
  [
    '*:*',
    ['*:*'],
    ['tools:list', 'tools:invoke', 'servers:manage', 'config:read', 'config:write', 'logs:read'],
  ],
  ['tools:*', ['*:*'], ['tools:list', 'tools:invoke']],
  ['tools:invoke', ['*:*'], ['tools:invoke', 'tools:list']],
  ['tool:execute:files:*', ['files:*'], ['tools:invoke', 'tools:list']],
  ['tools:execute:jupyter_*', ['*:jupyter_*'], ['tools:invoke', 'tools:list']],
  ['tools:list', ['*:*'], ['tools:list']],
  ['config:*', [], ['config:read', 'config:write']],
  ['*:read', [], ['config:read', 'logs:read']],
  ['servers:manage', [], ['servers:manage']],
])('the permission %s', (permission, tools, scopes) => {
  const config = configOf(roles(`[[authorization.roles]]\nname = "a"\npermissions = ["${permission}"]`))
  expect(config.authorization.roles).toEqual([{ name: 'a', tools, scopes }])
})

test('who may list all tools and call some sees those', () => {
  const text = roles(
    '[[authorization.roles]]\nname = "a"\npermissions = ["tools:list", "tools:invoke:files:*"]',
  )
  expect(configOf(text).authorization.roles[0]?.tools).toEqual(['files:*'])
})

test('authorization without names is possible with a role for everybody', () => {
  expect(
    configOf('authorization.enabled = true\n[[authorization.roles]]\nname = "default"').authorization.enabled,
  ).toBe(true)
})

test.each<[string, string, string]>([
  [
    'a secret in env',
    stdio('env = { GITHUB_TOKEN = "abc", LEVEL = "x" }'),
    'env.GITHUB_TOKEN is written in clear',
  ],
  [
    'a secret in a header',
    remote('headers = { X-Api-Key = "abc" }'),
    'headers.X-Api-Key is written in clear',
  ],
  ['a token', remote('auth_token = "abc"'), 'auth_token is written in clear'],
  [
    'a secret in the arguments',
    stdio().replace('"it"', '"--api-key", "abc"'),
    'command[2] looks like a secret',
  ],
  ['a key', keys(`["${KEY}"]`), 'keys[0] is written in clear'],
  [
    'a secret without encryption',
    `[[servers.proxied.sse]]\nname = "x"\nurl = "http://far.example.org/"\nauth_token = "\${HOME:-}"`,
    'without encryption',
  ],
  ['an old way to write variables', 'composer.name = "$HOME/x"', 'holds a "$"'],
  ['idle_timeout of what is never idle', stdio('idle_timeout = 5'), 'no effect while lazy is false'],
  ['a health check that is off', stdio('health_check_interval = 5'), 'no effect while health_check_enabled'],
  ['a log file of nothing', stdio('log_stderr = false\nlog_file = "x"'), 'no effect while log_stderr'],
  ['env of no program', remote('env = { A = "b" }'), 'no effect without a command'],
  ['a kind of no token', remote('auth_type = "basic"'), 'no effect without auth_token'],
  ['keys that nobody needs', 'authentication.providers = ["api_key"]', 'no effect while enabled is false'],
  ['roles that nobody has', '[[authorization.roles]]\nname = "a"', 'no effect while enabled is false'],
  [
    'limits that limit nobody',
    '[authorization.rate_limiting]\nenabled = true',
    'no effect while enabled is false',
  ],
  [
    'a provider that is not listed',
    keys(`["${KEY}"]`).replace(
      'api_key.keys',
      'jwt = { jwks_url = "https://x/", issuer = "i", audience = "a" }\napi_key.keys',
    ),
    'does not list "jwt"',
  ],
  [
    'origins without CORS',
    'api.cors_enabled = false\napi.cors_origins = ["https://a.org"]',
    'no effect while cors_enabled',
  ],
  [
    'a strategy that another beats',
    'composer.conflict_resolution = "prefix"\ntool_manager.conflict_resolution = "suffix"',
    'composer.conflict_resolution has no effect: tool_manager.conflict_resolution decides',
  ],
  [
    'a key without a role',
    roles('[[authorization.roles]]\nname = "a"'),
    'keys[0] has no roles, and there is no role named "default"',
  ],
  [
    'a key with an empty list of roles',
    roles('[[authorization.roles]]\nname = "a"').replace(
      `"${KEY}"`,
      `{ key = "${KEY}", roles = [], scopes = ["logs:read"] }`,
    ),
    'keys[0] has no roles',
  ],
  ['a template that is not used', 'tool_manager.custom_template.template = "{tool_name}"', 'is "custom"'],
  [
    'a log file besides',
    'monitoring.logging = { output = "stderr", log_file = "x" }',
    'while output is "stderr"',
  ],
])('%s is warned of', (_, text, sentence) => {
  expect(warningsIn(text).join('\n')).toContain(sentence)
})

test('the place of the web pages is of no effect without them', () => {
  const text = '[ui]\nenabled = false\npath = "/pages"\nframework = "react"\nmode = "embedded"\nport = 9456\n'
  const { config, warnings } = parse(text)
  expect(config?.ui).toEqual({ enabled: false, path: '/pages' })
  expect(warnings).toEqual([
    { path: 'ui.path', line: 3, column: 1, message: 'has no effect while enabled is false' },
  ])
})

test.each([
  stdio(`env = { GITHUB_TOKEN = "\${X}", LEVEL = "debug" }`),
  remote(`auth_token = "\${X}"`),
  remote(`headers = { Authorization = "Bearer \${X}" }`),
  `[[servers.proxied.sse]]\nname = "x"\nurl = "http://127.0.0.1:5/"\nauth_token = "\${X}"`,
  stdio(`lazy = "\${LAZY}"\nidle_timeout = 5`),
  'composer.conflict_resolution = "suffix"\ntool_manager.conflict_resolution = "suffix"',
  access(`"\${K}"`, 'name = "default"'),
  access(`"\${K}"`, `name = "\${ROLE}"`),
  access(`{ key = "\${K}", roles = ["a"] }`, 'name = "a"'),
  `${keys(`["\${K}"]`)}`,
])('nothing is to be said about %s', (text) => {
  expect(warningsIn(text)).toEqual([])
})
