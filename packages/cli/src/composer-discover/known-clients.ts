import { joinOn, type Machine, settingsFolder, xdgFolder } from './machine.ts'

export interface KnownFile {
  readonly client: string
  readonly path: string
  readonly format: 'json' | 'toml' | 'yaml'
  /** Where in the file its servers stand, each as the keys that lead there. */
  readonly places: readonly (readonly string[])[]
}

const MCP_SERVERS = [['mcpServers']] as const

/** Every file in which an MCP client may name servers, those of the user before those of the folder. */
export function knownFiles(machine: Machine): readonly KnownFile[] {
  const { home, cwd, platform, environment = {} } = machine
  const settings = settingsFolder(machine)
  const inHome = (...parts: string[]) => joinOn(machine, home, ...parts)
  const inCwd = (...parts: string[]) => joinOn(machine, cwd, ...parts)
  const inCode = (...parts: string[]) => joinOn(machine, settings, 'Code', 'User', ...parts)
  const codex = environment.CODEX_HOME || inHome('.codex')
  const zed =
    platform === 'win32' ? joinOn(machine, settings, 'Zed') : joinOn(machine, xdgFolder(machine), 'zed')
  const opencode = joinOn(machine, xdgFolder(machine), 'opencode')
  const cline = joinOn(
    machine,
    'globalStorage',
    'saoudrizwan.claude-dev',
    'settings',
    'cline_mcp_settings.json',
  )
  return [
    json('Claude Desktop', joinOn(machine, settings, 'Claude', 'claude_desktop_config.json')),
    json('Claude Code', inHome('.claude.json'), [
      ['mcpServers'],
      // On Windows it writes either kind of slash.
      ...new Set([cwd, cwd.replaceAll('\\', '/')])
        .values()
        .map((folder) => ['projects', folder, 'mcpServers']),
    ]),
    json('Claude Code', inCwd('.mcp.json')),
    json('Cursor', inHome('.cursor', 'mcp.json')),
    json('Cursor', inCwd('.cursor', 'mcp.json')),
    json('VS Code', inCode('mcp.json'), [['servers']]),
    json('VS Code', inCode('settings.json'), [['mcp', 'servers'], ['mcp.servers']]),
    json('VS Code', inCwd('.vscode', 'mcp.json'), [['servers']]),
    json('Windsurf', inHome('.codeium', 'windsurf', 'mcp_config.json')),
    json('Zed', joinOn(machine, zed, 'settings.json'), [['context_servers']]),
    json('Zed', inCwd('.zed', 'settings.json'), [['context_servers']]),
    {
      client: 'Codex',
      path: joinOn(machine, codex, 'config.toml'),
      format: 'toml',
      places: [['mcp_servers']],
    },
    json('Gemini CLI', inHome('.gemini', 'settings.json')),
    json('Gemini CLI', inCwd('.gemini', 'settings.json')),
    json('Cline', inCode(cline)),
    json('Continue', inHome('.continue', 'config.json'), [
      ['mcpServers'],
      ['experimental', 'modelContextProtocolServers'],
    ]),
    { client: 'Continue', path: inHome('.continue', 'config.yaml'), format: 'yaml', places: MCP_SERVERS },
    ...['opencode.json', 'opencode.jsonc'].flatMap((name) => [
      json('opencode', joinOn(machine, opencode, name), [['mcp']]),
      json('opencode', inCwd(name), [['mcp']]),
    ]),
  ]
}

function json(client: string, path: string, places: KnownFile['places'] = MCP_SERVERS): KnownFile {
  return { client, path, format: 'json', places }
}
