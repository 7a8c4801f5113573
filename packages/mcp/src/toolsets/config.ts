import * as z from 'zod'
import type { Environment } from '../connection/child-environment.ts'
import type { Target } from '../connection/target.ts'
import { isRecord } from '../json.ts'
import { expandVariables } from './expand.ts'

/** How long a call may take without a word of progress; what is absent is as usual. */
export interface CallTimes {
  readonly timeoutMs?: number | undefined
  /** By the tool's own name. */
  readonly toolTimeouts?: Readonly<Record<string, number>> | undefined
}

interface Expanded {
  /** What variables of the environment gave its arguments, environment, address and headers: not to be shown. */
  readonly secrets?: readonly string[] | undefined
}

/** A server as its entry has it. */
type Entry = Target & CallTimes & Expanded

/** The servers of an `mcp.json`, by name. */
export type ToolsetsConfig = ReadonlyMap<string, Entry>

/** Holds every fault of the file, so that one look is enough. */
export class ToolsetsConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The MCP servers are not configured correctly:\n${faults.map((fault) => `- ${fault}`).join('\n')}`)
    this.name = 'ToolsetsConfigError'
    this.faults = faults
  }
}

const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const VARIABLE_NAME = /^[^=\0]+$/

const Line = z.string().refine((text) => !text.includes('\0'), 'holds a NUL character')

const Milliseconds = z.int().min(1).max(3_600_000)
const TIMES = {
  timeoutMs: Milliseconds.optional(),
  toolTimeouts: z.record(z.string(), Milliseconds).optional(),
}

const StdioEntry = z.strictObject({
  ...TIMES,
  type: z.literal('stdio').optional(),
  command: Line.min(1, 'is empty'),
  args: z.array(Line).optional(),
  env: z.record(z.string().regex(VARIABLE_NAME, 'is no name of a variable'), Line).optional(),
  cwd: Line.min(1, 'is empty').optional(),
})

const RemoteEntry = z.strictObject({
  ...TIMES,
  type: z.enum(['http', 'streamable-http', 'sse']).optional(),
  url: z.string(),
  headers: z.record(z.string().regex(HEADER_NAME, 'is no name of a header'), z.string()).optional(),
})

const File = z.strictObject({
  $schema: z.string().optional(),
  // Not a record: that would drop the name "__proto__" without a word.
  mcpServers: z.custom<object>(isRecord, 'must be an object of servers by name'),
})

type Told = (fault: string) => void

/** Reads the text of an `mcp.json`. Throws a `ToolsetsConfigError` with all of its faults. */
export function parseToolsetsJson(text: string, environment: Environment): ToolsetsConfig {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ToolsetsConfigError([
      `the file is not valid JSON: ${error instanceof Error ? error.message : error}`,
    ])
  }
  return parseToolsets(value, environment)
}

/** The same for a value that was parsed already. */
export function parseToolsets(value: unknown, environment: Environment): ToolsetsConfig {
  const faults: string[] = []
  const file = File.safeParse(value)
  if (!file.success) throw new ToolsetsConfigError(toFaults('the file', file.error))
  const targets = Object.entries(file.data.mcpServers).flatMap(([name, entry]): [string, Entry][] => {
    const tell: Told = (fault) => faults.push(`server "${name}": ${fault}`)
    if (!SERVER_NAME.test(name)) tell('the name may hold letters, digits, ".", "_" and "-", 64 at the most')
    const target = toTarget(entry, environment, tell)
    return target ? [[name, target]] : []
  })
  if (faults.length > 0) throw new ToolsetsConfigError(faults)
  return new Map(targets)
}

function toTarget(entry: unknown, environment: Environment, tell: Told): Entry | undefined {
  if (!isRecord(entry)) return void tell('must be an object with "command" or "url"')
  const isStdio = 'command' in entry
  if (isStdio === 'url' in entry) {
    return void tell(isStdio ? 'has both "command" and "url": which one is it?' : 'needs "command" or "url"')
  }
  return isStdio ? toStdio(entry, environment, tell) : toRemote(entry, environment, tell)
}

function toStdio(entry: object, environment: Environment, tell: Told): Entry | undefined {
  const parsed = StdioEntry.safeParse(entry)
  if (!parsed.success) return void tellAll(parsed.error, tell)
  const secrets = new Set<string>()
  const expand = (text: string) => expandVariables(text, environment, tell)
  const expandSecret = (text: string) =>
    expandVariables(text, environment, tell, (value) => secrets.add(value))
  const { command, args, env, cwd } = parsed.data
  return Object.freeze({
    ...timesOf(parsed.data),
    type: 'stdio',
    command: expand(command),
    args: (args ?? []).map(expandSecret),
    env: expandValues(env ?? {}, expandSecret),
    ...(cwd !== undefined && { cwd: expand(cwd) }),
    ...(secrets.size > 0 && { secrets: [...secrets] }),
  })
}

function toRemote(entry: object, environment: Environment, tell: Told): Entry | undefined {
  const parsed = RemoteEntry.safeParse(entry)
  if (!parsed.success) return void tellAll(parsed.error, tell)
  const faults: string[] = []
  const secrets = new Set<string>()
  const expand = (text: string) =>
    expandVariables(
      text,
      environment,
      (fault) => faults.push(fault),
      (value) => secrets.add(value),
    )
  const url = expand(parsed.data.url)
  const headers = expandValues(parsed.data.headers ?? {}, expand)
  // What follows from a variable that is not set would only confuse.
  if (faults.length === 0) {
    faults.push(...urlFaults(url))
    for (const [name, value] of Object.entries(headers)) {
      if (!HEADER_VALUE.test(value))
        faults.push(`the value of header "${name}" holds characters that a header cannot have`)
    }
  }
  faults.forEach(tell)
  const isSse = parsed.data.type === 'sse' || (parsed.data.type === undefined && /\/sse\/?$/.test(url))
  return Object.freeze({
    ...timesOf(parsed.data),
    type: isSse ? 'sse' : 'http',
    url,
    headers,
    ...(secrets.size > 0 && { secrets: [...secrets] }),
  })
}

function timesOf({ timeoutMs, toolTimeouts }: CallTimes): CallTimes {
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...(toolTimeouts && { toolTimeouts }) }
}

function urlFaults(text: string): string[] {
  if (!URL.canParse(text)) return ['"url" is no URL']
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return ['"url" must begin with http:// or https://']
  return username || password ? ['"url" holds a password: put it into "headers"'] : []
}

function expandValues(
  values: Readonly<Record<string, string>>,
  expand: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, expand(value)]))
}

function tellAll(error: z.ZodError, tell: Told): void {
  for (const fault of toFaults('', error)) tell(fault)
}

function toFaults(whole: string, { issues }: z.ZodError): string[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String).join('.')
    const where = path ? `"${path}"` : whole
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => `${where && `${where} has `}the unknown key "${key}"`)
    }
    return [`${where} ${toPredicate(issue)}`]
  })
}

function toPredicate(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join(', ')
  return issue.message
}
