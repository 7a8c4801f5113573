import { describe, expect, test } from 'vitest'
import { discoverServers } from './discover-servers.ts'
import type { Machine } from './machine.ts'

const STDIO = { command: 'npx', args: ['-y', 'some-server'] }

describe('finds the servers of', () => {
  test.each([
    [
      'Claude Desktop on Linux',
      'linux',
      '/home/ada/.config/Claude/claude_desktop_config.json',
      { mcpServers: { it: STDIO } },
    ],
    [
      'Claude Desktop on macOS',
      'darwin',
      '/home/ada/Library/Application Support/Claude/claude_desktop_config.json',
      { mcpServers: { it: STDIO } },
    ],
    [
      'Claude Desktop on Windows',
      'win32',
      'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      { mcpServers: { it: STDIO } },
    ],
    ['Claude Code', 'linux', '/home/ada/.claude.json', { mcpServers: { it: { type: 'stdio', ...STDIO } } }],
    [
      'Claude Code for this folder',
      'linux',
      '/home/ada/.claude.json',
      { projects: { '/work': { mcpServers: { it: STDIO } }, '/elsewhere': { mcpServers: { no: STDIO } } } },
    ],
    [
      'Claude Code for this folder on Windows',
      'win32',
      'C:\\Users\\ada\\.claude.json',
      { projects: { 'C:/work': { mcpServers: { it: STDIO } } } },
    ],
    ['Claude Code in this folder', 'linux', '/work/.mcp.json', { mcpServers: { it: STDIO } }],
    ['Cursor', 'linux', '/home/ada/.cursor/mcp.json', { mcpServers: { it: STDIO } }],
    [
      'VS Code in this folder',
      'linux',
      '/work/.vscode/mcp.json',
      { servers: { it: { type: 'stdio', ...STDIO } } },
    ],
    [
      'VS Code',
      'darwin',
      '/home/ada/Library/Application Support/Code/User/mcp.json',
      { servers: { it: STDIO } },
    ],
    [
      'VS Code’s settings',
      'linux',
      '/home/ada/.config/Code/User/settings.json',
      { mcp: { servers: { it: STDIO } } },
    ],
    ['Windsurf', 'linux', '/home/ada/.codeium/windsurf/mcp_config.json', { mcpServers: { it: STDIO } }],
    [
      'Zed',
      'darwin',
      '/home/ada/.config/zed/settings.json',
      { context_servers: { it: { source: 'custom', ...STDIO } } },
    ],
    [
      'Zed as it was',
      'linux',
      '/home/ada/.config/zed/settings.json',
      { context_servers: { it: { command: { path: 'npx', args: ['-y', 'some-server'] } } } },
    ],
    [
      'Zed on Windows',
      'win32',
      'C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json',
      { context_servers: { it: STDIO } },
    ],
    ['Gemini CLI', 'linux', '/home/ada/.gemini/settings.json', { mcpServers: { it: STDIO } }],
    [
      'Cline',
      'linux',
      '/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      { mcpServers: { it: { ...STDIO, disabled: false } } },
    ],
    ['Continue', 'linux', '/home/ada/.continue/config.json', { mcpServers: [{ name: 'it', ...STDIO }] }],
    [
      'Continue as it was',
      'linux',
      '/home/ada/.continue/config.json',
      {
        experimental: {
          modelContextProtocolServers: [{ name: 'it', transport: { type: 'stdio', ...STDIO } }],
        },
      },
    ],
    [
      'opencode',
      'linux',
      '/home/ada/.config/opencode/opencode.json',
      { mcp: { it: { type: 'local', command: ['npx', '-y', 'some-server'] } } },
    ],
  ] as const)('%s', (_, platform, path, content) => {
    const { servers, warnings } = discover({ [path]: JSON.stringify(content) }, platform)
    expect(warnings).toStrictEqual([])
    expect(servers).toMatchObject([
      { name: 'it', entry: { transport: 'stdio', command: ['npx', '-y', 'some-server'] } },
    ])
    expect(servers[0]?.origins[0]).toContain(path)
  })

  test('Codex, which writes TOML', () => {
    const toml = `
      model = "some"
      [mcp_servers.local]
      command = "npx"
      args = ["-y", "some-server"]
      env = { KEY = "value" }
      [mcp_servers.remote]
      url = "https://example.org/mcp"
      bearer_token_env_var = "REMOTE_TOKEN"`
    expect(
      discover({ '/home/ada/.codex/config.toml': toml }).servers.map(({ entry }) => entry),
    ).toStrictEqual([
      {
        transport: 'stdio',
        command: ['npx', '-y', 'some-server'],
        env: { KEY: 'value' },
        workingDir: undefined,
        enabled: true,
      },
      {
        transport: 'http',
        url: 'https://example.org/mcp',
        headers: { Authorization: `Bearer \${REMOTE_TOKEN}` },
        enabled: true,
      },
    ])
  })

  test('the folders that the environment names', () => {
    const files = { '/xdg/zed/settings.json': JSON.stringify({ context_servers: { it: STDIO } }) }
    expect(discover(files, 'linux', { XDG_CONFIG_HOME: '/xdg' }).servers).toHaveLength(1)
    const roaming = {
      'D:\\Data\\Claude\\claude_desktop_config.json': JSON.stringify({ mcpServers: { it: STDIO } }),
    }
    expect(discover(roaming, 'win32', { APPDATA: 'D:\\Data' }).servers).toHaveLength(1)
  })
})

test.each([
  [{ url: 'https://example.org/mcp' }, 'http'],
  [{ url: 'https://example.org/sse' }, 'sse'],
  [{ type: 'sse', url: 'https://example.org/events' }, 'sse'],
  [{ type: 'http', url: 'https://example.org/sse' }, 'http'],
  [{ type: 'streamableHttp', url: 'https://example.org/mcp' }, 'http'],
  [{ httpUrl: 'https://example.org/sse' }, 'http'],
  [{ serverUrl: 'https://example.org/mcp' }, 'http'],
  [{ type: 'remote', url: 'https://example.org/mcp' }, 'http'],
])('a server with an address: %j', (entry, transport) => {
  const { servers } = discover({ '/work/.mcp.json': JSON.stringify({ mcpServers: { it: entry } }) })
  expect(servers).toMatchObject([{ entry: { transport } }])
})

test('reads JSON as people write it', () => {
  const text = `\uFEFF{
    // the servers, "all" of them
    "mcpServers": { /* none is // missing */
      "it": { "command": "npx", "args": ["-y", "a,]//b", "\\"/*", ], },
    },
  }`
  expect(discover({ '/work/.mcp.json': text }).servers).toMatchObject([
    { entry: { command: ['npx', '-y', 'a,]//b', '"/*'] } },
  ])
})

test.each([
  ['/work/.mcp.json', '{ "mcpServers": { "a": {"env": {"TOKEN": "s3cret"}}'],
  ['/work/.mcp.json', '['],
  ['/home/ada/.codex/config.toml', 'mcp_servers = { a = "s3cret'],
])('a broken file is a warning that names it, and does not show what is in it: %s', (path, text) => {
  const { servers, warnings } = discover({ [path]: text })
  expect(servers).toStrictEqual([])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(path)
  expect(warnings[0]).not.toContain('s3cret')
})

test('a file that may not be read is a warning; the others are read', () => {
  const { servers, warnings } = discoverServers({
    ...machineWith({ '/work/.mcp.json': JSON.stringify({ mcpServers: { it: STDIO } }) }),
    readFile(path) {
      if (path === '/home/ada/.claude.json') throw new Error('EACCES')
      return path === '/work/.mcp.json' ? JSON.stringify({ mcpServers: { it: STDIO } }) : undefined
    },
  })
  expect(servers).toHaveLength(1)
  expect(warnings).toMatchObject([expect.stringContaining('/home/ada/.claude.json')])
})

test('YAML is not read, and it is said so', () => {
  const { warnings } = discover({
    '/home/ada/.continue/config.yaml': 'name: mine\nmcpServers:\n  - name: a\n',
  })
  expect(warnings).toMatchObject([expect.stringContaining('config.yaml')])
  expect(discover({ '/home/ada/.continue/config.yaml': 'name: mine\n' }).warnings).toStrictEqual([])
})

test.each([
  ['a text', 'npx some-server'],
  ['nothing to reach it by', { env: { A: 'b' } }],
  ['an address of another kind', { url: 'file:///etc/passwd' }],
  ['an empty command', { command: '' }],
  ['a composer of ours', { command: 'quire', args: ['composer', 'serve', '--transport', 'stdio'] }],
  [
    'a bridge of ours',
    { command: 'node', args: ['/opt/quire/packages/cli/bin/quire.mjs', 'composer', 'bridge'] },
  ],
])('an entry that is left out: %s', (_, entry) => {
  const { servers, warnings } = discover({
    '/work/.mcp.json': JSON.stringify({ mcpServers: { bad: entry, good: STDIO } }),
  })
  expect(servers.map(({ name }) => name)).toStrictEqual(['good'])
  expect(warnings).toMatchObject([expect.stringContaining('"bad"')])
})

test('the same server of two clients is one; another one of its name gets a suffix', () => {
  const { servers } = discover({
    '/home/ada/.cursor/mcp.json': JSON.stringify({ mcpServers: { it: STDIO } }),
    '/work/.mcp.json': JSON.stringify({ mcpServers: { it: STDIO, IT: STDIO } }),
    '/work/.cursor/mcp.json': JSON.stringify({ mcpServers: { it: { command: 'other' } } }),
  })
  expect(servers.map(({ name, origins }) => [name, origins])).toStrictEqual([
    ['it', ['Claude Code (/work/.mcp.json)', 'Cursor (/home/ada/.cursor/mcp.json)']],
    ['IT-2', ['Claude Code (/work/.mcp.json)']],
    ['it-3', ['Cursor (/work/.cursor/mcp.json)']],
  ])
})

test.each([
  ['my server', 'my-server'],
  ['@scope/name', 'scope-name'],
  ['a__b', 'a_b'],
  ['__proto__', 'proto_'],
  ['composer', 'composer-server'],
  ['…', 'server'],
  ['', 'server'],
  ['Größe', 'Große'.normalize('NFKD').replace('ß', '-')],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['a\nb"]]', 'a-b'],
])('the name %j becomes %j', (name, expected) => {
  const { servers } = discover({
    '/work/.mcp.json': `{"mcpServers":{${JSON.stringify(name)}:${JSON.stringify(STDIO)}}}`,
  })
  expect(servers.map((server) => server.name)).toStrictEqual([expected])
  expect(servers[0]?.name).toMatch(/^(?!.*__)(?!composer$)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)
})

function discover(
  files: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = 'linux',
  environment: Machine['environment'] = {},
) {
  return discoverServers({ ...machineWith(files, platform), environment })
}

function machineWith(files: Readonly<Record<string, string>>, platform: NodeJS.Platform = 'linux'): Machine {
  const isWindows = platform === 'win32'
  return {
    home: isWindows ? 'C:\\Users\\ada' : '/home/ada',
    cwd: isWindows ? 'C:\\work' : '/work',
    platform,
    readFile: (path) => files[path],
  }
}
