import { z } from 'zod'
import { Authentication, Authorization } from './access.ts'
import {
  choice,
  filledLine,
  flag,
  only,
  onlyAll,
  refused,
  seconds,
  webPath,
  wholeNumber,
  word,
} from './fields.ts'
import { Servers } from './servers.ts'
import { strategy, ToolManager } from './tool-manager.ts'

const UI_FEATURES = [
  'server_management',
  'tool_testing',
  'logs_viewing',
  'metrics_dashboard',
  'configuration_editor',
]
const METRICS = [
  'tool_invocation_count',
  'tool_invocation_duration',
  'tool_error_rate',
  'server_health_status',
  'process_cpu_usage',
  'process_memory_usage',
  'request_rate',
  'response_time',
]
const METHODS = ['GET', 'POST', 'PUT', 'DELETE']
const NO_ROTATION = 'log files are not rotated; let logrotate do it, with copytruncate'
const NO_TRACES = 'traces are not written'
const CORS = 'CORS is for the whole service: set cors_enabled and cors_origins in [api]'

const port = wholeNumber(1, 65_535)

const logLevel = word(
  ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'WARN', 'CRITICAL'],
  'must be "DEBUG", "INFO", "WARNING" or "ERROR"',
)

const Composer = z.strictObject({
  name: filledLine().max(128, 'has more than 128 characters').prefault('quire'),
  conflict_resolution: strategy.prefault('prefix'),
  log_level: logLevel.optional(),
  port: port.optional(),
  max_tool_invocation_time: seconds(0.1, 86_400).prefault(30),
  prune_downstreams_on_start: only(
    false,
    'what a former run of this composer has left running is ended by itself, and the processes of others are not touched',
  ),
  enable_metrics: refused('write enabled in [monitoring.metrics]'),
  enable_health_checks: refused('write health_check_enabled for each server'),
})

const Transport = z.strictObject({
  stdio_enabled: flag().prefault(true),
  streamable_http_enabled: flag().prefault(true),
  streamable_http_path: webPath().prefault('/mcp'),
  streamable_http_cors_enabled: only(true, CORS),
  sse_enabled: flag().prefault(false),
  sse_path: webPath().prefault('/sse'),
  sse_cors_enabled: only(true, CORS),
})

const origin = z
  .string({ error: 'must be an origin such as "https://app.example.org"' })
  .refine((text) => text !== '*', 'cannot be "*", for it would let every page in: name the origins')
  .refine(
    (text) => text === '*' || URL.parse(text)?.origin === text,
    'must be an origin such as "https://app.example.org", without a path',
  )

const Api = z.strictObject({
  enabled: flag().prefault(true),
  path_prefix: z
    .union([webPath(), z.enum(['', '/'])], {
      error: 'must be a path such as "/api/v1", without a slash at its end',
    })
    .prefault('/api/v1'),
  host: filledLine().optional(),
  port: port.optional(),
  cors_enabled: flag().prefault(true),
  cors_origins: z.array(origin, { error: 'must be a list of origins' }).prefault([]),
  cors_methods: onlyAll(METHODS, 'each path says its own methods'),
  docs_enabled: flag().prefault(true),
  docs_path: only('/docs', 'the pages about the API have fixed places'),
  openapi_path: only('/openapi.json', 'the pages about the API have fixed places'),
})

const Ui = z.strictObject({
  enabled: flag().prefault(true),
  path: webPath().prefault('/ui'),
  framework: only('react', 'there is one web UI'),
  mode: choice(['embedded'], {
    separate: 'cannot be "separate": the web UI is served by the composer itself',
  }).optional(),
  port: only(9456, 'the web UI has no port of its own, it is served at [ui] path'),
  static_dir: refused('the web UI is part of the program'),
  features: onlyAll(UI_FEATURES, 'what a person may do follows from the scopes of their key'),
})

const Monitoring = z.strictObject({
  enabled: flag().prefault(true),
  audit_file: filledLine().optional(),
  metrics: z
    .strictObject({
      enabled: flag().prefault(true),
      provider: only('prometheus', 'metrics are written as Prometheus reads them'),
      endpoint: webPath().prefault('/metrics'),
      collection_interval: only(15, 'numbers are read when somebody asks for them'),
      collect: onlyAll(METRICS, 'all are collected'),
    })
    .prefault({}),
  logging: z
    .strictObject({
      level: logLevel.optional(),
      format: choice(['json', 'text']).optional(),
      output: choice(['stderr', 'both'], {
        stdout: 'cannot be "stdout", which belongs to MCP over stdio: write "stderr"',
        file: 'cannot be "file" alone: write "both"',
      }).optional(),
      log_file: filledLine().optional(),
      rotation: refused(NO_ROTATION),
      max_size_mb: refused(NO_ROTATION),
      max_files: refused(NO_ROTATION),
      aggregate_managed_logs: flag().prefault(true),
    })
    .prefault({}),
  tracing: z
    .strictObject({
      enabled: only(false, NO_TRACES),
      provider: only('opentelemetry', NO_TRACES),
      endpoint: only('http://localhost:4317', NO_TRACES),
      sample_rate: only(1, NO_TRACES),
    })
    .optional(),
  health: z
    .strictObject({
      endpoint: only('/health', 'it stands at this place below [api] path_prefix'),
      detailed_endpoint: refused('GET /status and GET /servers below [api] path_prefix have the details'),
    })
    .optional(),
})

/** The whole file. What it does not know, it refuses. */
export const ConfigFile = z.strictObject({
  composer: Composer.prefault({}),
  transport: Transport.prefault({}),
  authentication: Authentication.prefault({}),
  authorization: Authorization.prefault({}),
  servers: Servers.prefault({}),
  tool_manager: ToolManager.prefault({}),
  api: Api.prefault({}),
  ui: Ui.prefault({}),
  monitoring: Monitoring.prefault({}),
})
export type ConfigFile = z.output<typeof ConfigFile>
