import { type Concealer, createConcealer, variablesIn } from './conceal.ts'
import type { DiscoveredServer } from './discover-servers.ts'
import type { Machine } from './machine.ts'

const TABLES = Object.freeze({ stdio: 'stdio', http: 'streamable-http', sse: 'sse' })

/** The servers as they stand in a configuration of ours. What may be a secret is a variable, and is named in a comment. */
export function printToml(
  servers: readonly DiscoveredServer[],
  { home, cwd }: Pick<Machine, 'home' | 'cwd'>,
): string {
  const taken = new Set(servers.flatMap(({ entry }) => variablesIn(JSON.stringify(entry))))
  return servers
    .map((server) => printServer(server, createConcealer({ server: server.name, home, cwd, taken })))
    .join('\n')
}

function printServer({ name, origins, entry }: DiscoveredServer, conceal: Concealer): string {
  const table = `servers.proxied.${TABLES[entry.transport]}`
  const lines = [`[[${table}]]`, `name = ${quote(name)}`]
  if (!entry.enabled) lines.push('enabled = false')
  if (entry.transport === 'stdio') {
    const [program, ...args] = entry.command
    const command = [...conceal.args([program]), ...conceal.args(args)]
    lines.push(`command = [${command.map(quote).join(', ')}]`)
    if (entry.workingDir !== undefined)
      lines.push(`working_dir = ${quote(...conceal.args([entry.workingDir]))}`)
    lines.push(...printTexts(`${table}.env`, entry.env, conceal))
  } else {
    lines.push(`url = ${quote(conceal.address(entry.url))}`)
    lines.push(...printTexts(`${table}.headers`, entry.headers, conceal))
  }
  const variables = conceal.variables()
  const comments = [
    ...origins.map((origin) => `From ${origin}`),
    ...(variables.length > 0 ? [`Set before you start it: ${variables.join(', ')}`] : []),
  ]
  return `${[...comments.map(toComment), ...lines].join('\n')}\n`
}

function printTexts(
  table: string,
  texts: Readonly<Record<string, string>>,
  conceal: Concealer,
): readonly string[] {
  const entries = Object.entries(texts)
  if (entries.length === 0) return []
  return [`[${table}]`, ...entries.map(([key, text]) => `${toKey(key)} = ${quote(conceal.value(text, key))}`)]
}

function toKey(text: string): string {
  return /^[A-Za-z0-9_-]+$/.test(text) ? text : quote(text)
}

/** A basic string of TOML is one of JSON, but for two kinds of characters. */
function quote(text = ''): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f')
}

/** A comment ends at the end of its line, whatever is in it. */
export function toComment(text: string): string {
  return `# ${text.toWellFormed().replace(/\p{Control}/gu, ' ')}`
}
