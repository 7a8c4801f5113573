import { z } from 'zod'
import { LOG_LEVELS } from './logs/log-book.ts'
import { anyObject, choice, object, text } from './request-fields.ts'
import { SERVER_STATES } from './supervisor/server-state.ts'

/** The body of every error. */
export const Failure = z.object({
  detail: z.string(),
  error_code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})
export type Failure = z.infer<typeof Failure>

const Count = z.int().nonnegative()
const page = { total: Count, offset: Count, limit: Count }

export const HealthStatus = z.enum(['healthy', 'degraded', 'unhealthy'])
export type HealthStatus = z.infer<typeof HealthStatus>

export const Health = z.object({ status: HealthStatus, version: z.string(), uptime_seconds: z.number() })
export type Health = z.infer<typeof Health>

/** Before the first configuration is applied: health and error in one. */
export const NotReady = Health.extend({ detail: z.string(), error_code: z.string() })
export type NotReady = z.infer<typeof NotReady>

export const Version = z.object({
  version: z.string(),
  api_version: z.literal('v1'),
  node_version: z.string(),
  platform: z.string(),
})
export type Version = z.infer<typeof Version>

export const ServerState = choice(SERVER_STATES)
export type ServerState = z.infer<typeof ServerState>

export const Status = z.object({
  status: HealthStatus,
  servers: z.object({
    total: Count,
    running: Count,
    stopped: Count,
    crashed: Count,
    starting: Count,
    stopping: Count,
  }),
  capabilities: z.object({ tools: Count, prompts: Count, resources: Count }),
  uptime_seconds: z.number(),
})
export type Status = z.infer<typeof Status>

const counts = { tools_count: Count, prompts_count: Count, resources_count: Count }

export const Composition = z.object({
  servers: z.array(z.object({ name: z.string(), state: ServerState, ...counts })),
  conflicts: z.array(
    z.object({
      type: z.enum(['tool', 'prompt', 'resource']),
      name: z.string(),
      servers: z.array(z.string()),
      resolution: z.string(),
    }),
  ),
  conflict_resolution: z.string(),
  total_tools: Count,
  total_prompts: Count,
  total_resources: Count,
})
export type Composition = z.infer<typeof Composition>

/** Answer of `/status/metrics`, and a message of `/ws/metrics`. */
export const MetricsMessage = z.object({
  type: z.literal('metrics'),
  timestamp: z.string(),
  http_requests_total: Count,
  tool_invocations_total: Count,
  tool_errors_total: Count,
  server_restarts_total: Count,
  servers_running: Count,
  tools_total: Count,
  /** Of this process; 100 is one whole core. */
  cpu_percent: z.number(),
  /** What this process holds of the memory that it may use. */
  memory_percent: z.number(),
  uptime_seconds: z.number(),
})
export type MetricsMessage = z.infer<typeof MetricsMessage>

/** A message of `/ws/logs`. */
export const LogMessage = z.object({
  type: z.literal('log'),
  id: z.int(),
  timestamp: z.string(),
  level: z.enum(LOG_LEVELS),
  server: z.string(),
  message: z.string(),
})
export type LogMessage = z.infer<typeof LogMessage>

/** On either WebSocket: so many messages were lost here, for the reader was too slow. */
export const DroppedMessage = z.object({ type: z.literal('dropped'), count: z.int().positive() })
export type DroppedMessage = z.infer<typeof DroppedMessage>

export const Server = z.object({
  id: z.string(),
  name: z.string(),
  state: ServerState,
  transport: z.enum(['stdio', 'http', 'sse', 'embedded']),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  module: z.string().optional(),
  /** A part of the program that the composer is in: it stands in no file, and cannot be removed. */
  built_in: z.literal(true).optional(),
  pid: z.int().nullable(),
  uptime_seconds: z.number().nullable(),
  restart_count: Count,
  last_error: z.string().nullable(),
  ...counts,
  auto_start: z.boolean(),
  /** Until its next start, where one is planned. */
  retry_in_seconds: z.number().nullable(),
  circuit: z.enum(['closed', 'open', 'half-open']),
})
export type Server = z.infer<typeof Server>

export const ServerDetail = Server.extend({
  failure: z
    .object({
      reason: z.string(),
      exit_code: z.int().nullable(),
      signal: z.string().nullable(),
      /** The last lines of its standard error. */
      stderr: z.array(z.string()),
      at: z.string(),
    })
    .nullable(),
})
export type ServerDetail = z.infer<typeof ServerDetail>

export const ServerList = z.object({ servers: z.array(Server), ...page })
export type ServerList = z.infer<typeof ServerList>

export const ServerDone = z.object({ message: z.string(), server: ServerDetail })
export type ServerDone = z.infer<typeof ServerDone>

const JsonObject = anyObject()

export const Tool = z.object({
  /** `server:tool`. */
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  input_schema: JsonObject,
  output_schema: JsonObject.optional(),
  annotations: JsonObject.optional(),
  server: z.string(),
  /** Its name on `/mcp`. */
  mcp_name: z.string(),
  /** `changed`: another definition than the one first seen. `blocked`: changed or not remembered, and it may not be called until it is approved. */
  trust: z.enum(['known', 'changed', 'blocked']),
  /** Of its whole definition: what is approved. */
  hash: z.string(),
})
export type Tool = z.infer<typeof Tool>

export const ToolDetail = Tool.extend({
  /** Of one that has changed: its definition as it was first seen or last approved, as far as it was kept. */
  approved_definition: JsonObject.optional(),
})
export type ToolDetail = z.infer<typeof ToolDetail>

export const ToolList = z.object({ tools: z.array(Tool), ...page })
export type ToolList = z.infer<typeof ToolList>

/** The hash as `GET /tools/{tool_name}` showed it; without it nothing is approved. */
export const ToolApproval = object({ hash: text(128).optional() })
export type ToolApproval = z.infer<typeof ToolApproval>

export const ToolDone = z.object({ message: z.string(), tool: Tool })
export type ToolDone = z.infer<typeof ToolDone>

/** The arguments of a tool or a prompt. */
export const Arguments = anyObject(
  'the object of the arguments, such as {"name": "value"}; {} where there are none',
)
export type Arguments = z.infer<typeof Arguments>

/** `result` is what the server answered, untouched. */
export const Invocation = z.object({
  result: JsonObject,
  is_error: z.boolean(),
  execution_time_ms: z.number(),
})
export type Invocation = z.infer<typeof Invocation>

export const Reading = Invocation.omit({ is_error: true })
export type Reading = z.infer<typeof Reading>

export const Prompt = z.object({
  /** `server:prompt`. */
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  arguments: z.array(JsonObject),
  server: z.string(),
  mcp_name: z.string(),
})
export type Prompt = z.infer<typeof Prompt>

export const PromptList = z.object({ prompts: z.array(Prompt), ...page })
export type PromptList = z.infer<typeof PromptList>

export const Resource = z.object({
  uri: z.string(),
  name: z.string(),
  description: z.string(),
  mime_type: z.string().optional(),
  server: z.string(),
})
export type Resource = z.infer<typeof Resource>

export const ResourceList = z.object({ resources: z.array(Resource), ...page })
export type ResourceList = z.infer<typeof ResourceList>

const LONGEST_URI = 8192
export const ResourceRequest = object({ uri: text(LONGEST_URI) })
export type ResourceRequest = z.infer<typeof ResourceRequest>

export const Config = z.object({ config: JsonObject, path: z.string(), revision: z.string() })
export type Config = z.infer<typeof Config>

/** Body of `PUT /config` and of `POST /config/validate`. With a `revision` the change is refused when somebody else was faster. */
export const ConfigRequest = object({
  config: anyObject('the object of the configuration, as GET /config shows it'),
  revision: text(256).optional(),
  /** Of what was read; it cannot be changed. */
  path: text(4096).optional(),
})
export type ConfigRequest = z.infer<typeof ConfigRequest>

/** By the names of servers. Those that changed are started again. */
export const ConfigChanges = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  unchanged: z.array(z.string()),
})
export type ConfigChanges = z.infer<typeof ConfigChanges>

export const ConfigApplied = z.object({
  config: JsonObject,
  revision: z.string(),
  changes: ConfigChanges,
  restart_required: z.array(z.string()),
})
export type ConfigApplied = z.infer<typeof ConfigApplied>

export const ConfigFault = z.object({
  path: z.string(),
  message: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
})
export type ConfigFault = z.infer<typeof ConfigFault>

export const ConfigVerdict = z.object({
  valid: z.boolean(),
  errors: z.array(ConfigFault),
  warnings: z.array(ConfigFault),
  /** Of a valid one: what saving it would do, as saving it tells. Another text in place of a secret or a variable is always a change, whatever it says. */
  changes: ConfigChanges.optional(),
  restart_required: z.array(z.string()).optional(),
  /** Of a valid one: why saving it over the API would be refused all the same. The file itself may say it. */
  refused: z.array(ConfigFault).optional(),
})
export type ConfigVerdict = z.infer<typeof ConfigVerdict>
