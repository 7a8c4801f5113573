import { z } from 'zod'
import {
  argument,
  attempts,
  choice,
  filledLine,
  flag,
  line,
  lines,
  only,
  refused,
  seconds,
  webAddress,
  wholeNumber,
} from './fields.ts'

const DAY = 86_400
const SERVER_NAME = /^(?!.*__)(?!composer$)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const VARIABLE_NAME = /^[^=\0]+$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** What the transport itself says. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept|mcp-session-id|mcp-protocol-version)$/i

const name = z
  .string({ error: 'is missing: every server needs a name of its own' })
  .regex(
    SERVER_NAME,
    'may hold letters, digits, "_", "." and "-", begins with a letter or digit, has at most 64 of them and no "__" (it separates server and tool), and is not "composer"',
  )

const command = z
  .array(argument(), { error: 'must be a list, the program first: command = ["npx", "-y", "some-server"]' })
  .min(1, 'must not be empty: it begins with the program')
  .refine(([program]) => program === undefined || program.trim() !== '', 'must begin with the program')

const env = z.record(
  z.string().regex(VARIABLE_NAME, 'is no name of a variable'),
  z
    .string({ error: 'must be a text: write it in quotes' })
    .refine((text) => !text.includes('\0'), 'holds a NUL character'),
  { error: 'must be a table of texts by variable' },
)

const headers = z.record(
  z
    .string()
    .regex(HEADER_NAME, 'is no name of a header')
    .refine((header) => !OWN_HEADERS.test(header), 'is set by the transport itself: leave it out'),
  z.string({ error: 'must be a text' }).regex(HEADER_VALUE, 'holds characters that a header cannot have'),
  { error: 'must be a table of texts by header' },
)

const commonKeys = {
  name,
  enabled: flag().prefault(true),
  auto_start: flag().prefault(true),
  lazy: flag().prefault(false),
  idle_timeout: seconds(0, 30 * DAY).prefault(0),
  startup_timeout: seconds(0.1, 3600).prefault(30),
  timeout: seconds(0.1, DAY).optional(),
  reset_timeout_on_progress: flag().prefault(true),
  max_total_timeout: seconds(0.1, 30 * DAY).optional(),
  max_in_flight: wholeNumber(1, 10_000).prefault(64),
  max_queued: wholeNumber(0, 100_000).prefault(256),
  circuit_breaker_failures: wholeNumber(0, 10_000).prefault(5),
  circuit_breaker_reset: seconds(0.1, DAY).prefault(30),
  pin: flag().prefault(false),
  include_tools: lines().optional(),
  exclude_tools: lines().prefault([]),
  version: filledLine().optional(),
  health_check_enabled: flag().prefault(false),
  health_check_interval: seconds(1, DAY).optional(),
  health_check_timeout: seconds(0.1, 3600).prefault(5),
  health_check_method: choice(['ping', 'tool'], {
    custom: 'cannot be "custom": write "ping", or "tool" with health_check_tool',
  }).optional(),
  health_check_tool: filledLine().optional(),
}

const processKeys = { env: env.prefault({}), working_dir: filledLine().optional() }

const ARGS = 'arguments stand in the command: command = ["program", "argument"]'

const StdioServer = z.strictObject({
  ...commonKeys,
  ...processKeys,
  command,
  restart_policy: choice(['never', 'on-failure', 'on_failure', 'always']).prefault('on-failure'),
  max_restarts: attempts(100_000).optional(),
  restart_delay: seconds(0, 3600).optional(),
  resource_limits: z
    .strictObject({
      max_memory_mb: wholeNumber(1, 1_048_576).optional(),
      max_cpu_percent: refused(
        'processor time is the operating system\'s to limit; start the program with "nice" or in a cgroup',
      ),
    })
    .prefault({}),
  log_stdout: only(false, 'standard output carries the protocol and is never logged'),
  log_stderr: flag().prefault(true),
  log_file: filledLine().optional(),
  args: refused(ARGS),
  url: refused(
    'a server with an address belongs to [[servers.proxied.streamable-http]] or [[servers.proxied.sse]]',
  ),
  transport: refused('the table says it: [[servers.proxied.stdio]]'),
})

const RESTART =
  'of a server with an address, write reconnect_on_failure, max_reconnect_attempts and retry_interval'

const remoteKeys = {
  ...commonKeys,
  ...processKeys,
  url: webAddress(),
  headers: headers.prefault({}),
  auth_token: line()
    .regex(HEADER_VALUE, 'holds characters that a header cannot have')
    .min(1, 'must not be empty')
    .optional(),
  auth_type: choice(['bearer', 'basic', 'raw']).prefault('bearer'),
  retry_interval: seconds(0, 3600).optional(),
  reconnect_on_failure: flag().prefault(true),
  max_reconnect_attempts: attempts(100_000).optional(),
  keep_alive: only(true, 'connections are always kept'),
  health_check_endpoint: refused(
    'the server is asked in its own protocol: health_check_method = "ping" or "tool"',
  ),
  mode: choice(['proxy'], {
    translator: 'cannot be "translator": make one with POST /translators, of the type "sse-to-http"',
  }).optional(),
  command: command.optional(),
  startup_delay: only(
    2,
    'the server is used as soon as it answers; startup_timeout says how long it may take',
  ),
  args: refused(ARGS),
  restart_policy: refused(RESTART),
  max_restarts: refused(RESTART),
  restart_delay: refused(RESTART),
  transport: refused('the table says it: streamable-http or sse'),
}

const NOT_MCP = 'is not MCP: only "streamable-http" is'

const RemoteServer = z.strictObject(remoteKeys)
const HttpServer = z.strictObject({
  ...remoteKeys,
  protocol: choice(['streamable-http'], {
    lines: `"lines" ${NOT_MCP}`,
    chunked: `"chunked" ${NOT_MCP}`,
    poll: `"poll" ${NOT_MCP}`,
  }).optional(),
  poll_interval: refused('nothing is polled: streamable-http keeps a stream'),
})

const EmbeddedServer = z.strictObject({
  ...commonKeys,
  package: filledLine(),
  tool_mappings: refused('give a tool another name in [tool_manager.aliases]'),
  command: refused('a server with a command belongs to [[servers.proxied.stdio]]'),
})

const FLAT =
  'is written as [[servers]], which says not how to reach them: write [[servers.proxied.stdio]] with name and command = ["program", "argument"], or [[servers.proxied.streamable-http]] with name and url'

const Proxied = z.strictObject({
  stdio: listOf(StdioServer, 'stdio'),
  sse: listOf(RemoteServer, 'sse'),
  http: listOf(HttpServer, 'http'),
  'streamable-http': listOf(RemoteServer, 'streamable-http'),
  streamable_http: listOf(RemoteServer, 'streamable_http'),
})

const Embedded = z.strictObject({
  servers: z.array(EmbeddedServer, { error: 'must be written as [[servers.embedded.servers]]' }).prefault([]),
})

export const Servers = z.strictObject(
  { proxied: Proxied.prefault({}), embedded: Embedded.prefault({}) },
  { error: ({ input, code }) => (code === 'invalid_type' && Array.isArray(input) ? FLAT : undefined) },
)

function listOf<Server extends z.ZodType>(server: Server, kind: string) {
  return z.array(server, { error: `must be written as [[servers.proxied.${kind}]]` }).prefault([])
}

export type ServersFile = z.output<typeof Servers>
export type StdioFile = z.output<typeof StdioServer>
export type RemoteFile = z.output<typeof RemoteServer>
export type EmbeddedFile = z.output<typeof EmbeddedServer>
