import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { discoverServers } from '../../composer-discover/discover-servers.ts'
import { printToml, toComment } from '../../composer-discover/print-toml.ts'

/** What `process` is to it. */
export interface DiscoverSurroundings {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
}

const MAX_FILE_BYTES = 64 * 1024 * 1024

const INTRODUCTION = `# The servers that the MCP clients of this machine know, for "quire composer serve".
# Values that may be secrets are variables: set those that the comments name, or write \${NAME:-default}.
`

/** Prints the servers of all MCP clients as TOML, and on the other stream what could not be read. Starts nothing. */
export async function runDiscover(surroundings: DiscoverSurroundings, home = homedir()): Promise<void> {
  const { platform, env: environment, stdout, stderr } = surroundings
  const machine = { home, platform, cwd: surroundings.cwd(), environment, readFile }
  const { servers, warnings } = discoverServers(machine)
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`)
  if (servers.length === 0) stdout.write(`${toComment('No MCP client of this machine names a server.')}\n`)
  else stdout.write(`${INTRODUCTION}\n${printToml(servers, machine)}`)
}

function readFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) return undefined
  if (found.size > MAX_FILE_BYTES) throw new Error('too large')
  return readFileSync(path, 'utf8')
}
