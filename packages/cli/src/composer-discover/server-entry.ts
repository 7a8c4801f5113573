import { isRecord } from '@quire/mcp/json'

/** One server as some client has it, with the texts as they stand there. */
export type ServerEntry = StdioEntry | RemoteEntry

export interface StdioEntry {
  readonly transport: 'stdio'
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string | undefined
  readonly enabled: boolean
}

export interface RemoteEntry {
  readonly transport: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly enabled: boolean
}

/** Takes together what the clients call by different names. A text instead of an entry says why it is none. */
export function toServerEntry(value: unknown): ServerEntry | string {
  if (!isRecord(value)) return 'is no table'
  const enabled = value.enabled !== false && value.disabled !== true
  // Continue has the target one level deeper.
  const entry = isRecord(value.transport) ? value.transport : value
  const command = commandOf(entry)
  if (command) {
    const nested = isRecord(entry.command) ? entry.command : {}
    const env = { ...textsOf(nested.env), ...textsOf(entry.environment), ...textsOf(entry.env) }
    return { transport: 'stdio', command, env, workingDir: textOf(entry.cwd), enabled }
  }
  const url = [entry.httpUrl, entry.url, entry.serverUrl].map(textOf).find((text) => text !== undefined)
  if (url === undefined) return 'has neither a command nor an address'
  if (!/^https?:\/\//i.test(url)) return 'has an address that is not http or https'
  return { transport: isSse(entry, url) ? 'sse' : 'http', url, headers: headersOf(entry), enabled }
}

function commandOf(entry: Readonly<Record<string, unknown>>): readonly [string, ...string[]] | undefined {
  const { command } = entry
  // opencode has a list; Zed has had a table.
  const [program, ...rest] = Array.isArray(command)
    ? command.map(textOf)
    : [textOf(command) ?? pathOf(command)]
  const args = [...rest, ...listOf(isRecord(command) ? command.args : undefined), ...listOf(entry.args)]
  if (program === undefined || program === '') return undefined
  return [program, ...args.filter((argument) => argument !== undefined)]
}

function pathOf(command: unknown): string | undefined {
  return isRecord(command) ? textOf(command.path) : undefined
}

/** Gemini CLI tells the two apart by the key, the others by a type; an address of old ends so. */
function isSse(entry: Readonly<Record<string, unknown>>, url: string): boolean {
  const type = textOf(entry.type) ?? textOf(entry.transport) ?? textOf(entry.transportType)
  if (type !== undefined) return type.toLowerCase() === 'sse'
  return entry.httpUrl === undefined && /\/sse\/?$/.test(url)
}

function headersOf(entry: Readonly<Record<string, unknown>>): Record<string, string> {
  const requestInit = isRecord(entry.requestOptions) ? entry.requestOptions : {}
  const fromVariables = Object.entries(textsOf(entry.env_http_headers)).map(([name, variable]) => [
    name,
    `\${${variable}}`,
  ])
  const bearer = textOf(entry.bearer_token_env_var)
  return {
    ...textsOf(requestInit.headers),
    ...textsOf(entry.http_headers),
    ...Object.fromEntries(fromVariables),
    ...(bearer !== undefined && { Authorization: `Bearer \${${bearer}}` }),
    ...textsOf(entry.headers),
  }
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]): [string, string][] => {
      const text = textOf(item)
      return text === undefined ? [] : [[key, text]]
    }),
  )
}

function listOf(value: unknown): (string | undefined)[] {
  return Array.isArray(value) ? value.map(textOf) : []
}

/** Numbers and switches stand unquoted in some files. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
