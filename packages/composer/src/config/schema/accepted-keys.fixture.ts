import { configOf, embedded, remote, serverOf, stdio } from '../config.fixture.ts'

/** A key of the file, a text that sets it, and what it comes to. */
export type AcceptedKey = readonly [key: string, effect: () => unknown, expected: unknown]

const KEY = 'k'.repeat(32)
const withKeys = (lines: string) => `[authentication]\nenabled = true\n[authentication.api_key]\n${lines}\n`
const jwt = (lines = '') =>
  `[authentication]\nenabled = true\nproviders = ["jwt"]\n[authentication.jwt]\njwks_url = "https://id.example.org/keys"\nissuer = "https://id.example.org"\naudience = "quire"\n${lines}\n`
const roles = (lines: string) =>
  `${withKeys(`keys = ["${KEY}"]`)}[authorization]\nenabled = true\n[[authorization.roles]]\nname = "reader"\n${lines}\n`
const limits = (lines: string) => `${roles('')}[authorization.rate_limiting]\nenabled = true\n${lines}\n`

const health = (lines: string) => serverOf(stdio(`health_check_enabled = true\n${lines}`), 'stdio').health
const callLimits = (lines: string) => serverOf(stdio(lines), 'stdio').limits
const remoteOf = (lines: string, kind?: string) => serverOf(remote(lines, kind), 'http', 'sse')

export const ACCEPTED_GENERAL: readonly AcceptedKey[] = [
  ['composer.name', () => configOf('composer.name = "shelf"').composer.name, 'shelf'],
  [
    'composer.conflict_resolution',
    () => configOf('composer.conflict_resolution = "suffix"').tools.strategy,
    'suffix',
  ],
  ['composer.log_level', () => configOf('composer.log_level = "WARNING"').composer.logLevel, 'warn'],
  ['composer.port', () => configOf('composer.port = 9000').composer.port, 9000],
  [
    'composer.max_tool_invocation_time',
    () => serverOf(`composer.max_tool_invocation_time = 7\n${stdio()}`, 'stdio').limits.timeoutMs,
    7000,
  ],
  [
    'composer.prune_downstreams_on_start',
    () => configOf('composer.prune_downstreams_on_start = false').servers,
    [],
  ],
  ['transport.stdio_enabled', () => configOf('transport.stdio_enabled = false').transport.stdio, false],
  [
    'transport.streamable_http_enabled',
    () => configOf('transport.streamable_http_enabled = false').transport.streamableHttp.enabled,
    false,
  ],
  [
    'transport.streamable_http_path',
    () => configOf('transport.streamable_http_path = "/all/mcp"').transport.streamableHttp.path,
    '/all/mcp',
  ],
  [
    'transport.streamable_http_cors_enabled',
    () => configOf('transport.streamable_http_cors_enabled = true').transport.streamableHttp.enabled,
    true,
  ],
  ['transport.sse_enabled', () => configOf('transport.sse_enabled = true').transport.sse.enabled, true],
  ['transport.sse_path', () => configOf('transport.sse_path = "/events"').transport.sse.path, '/events'],
  [
    'transport.sse_cors_enabled',
    () => configOf('transport.sse_cors_enabled = true').transport.sse.enabled,
    false,
  ],
  ['api.enabled', () => configOf('api.enabled = false').api.enabled, false],
  ['api.path_prefix', () => configOf('api.path_prefix = "/v2"').api.pathPrefix, '/v2'],
  ['api.host', () => configOf('api.host = "0.0.0.0"').api.host, '0.0.0.0'],
  ['api.port', () => configOf('api.port = 9001').api.port, 9001],
  [
    'api.cors_enabled',
    () => configOf('api.cors_enabled = false\napi.cors_origins = ["https://a.org"]').api.corsOrigins,
    [],
  ],
  [
    'api.cors_origins',
    () => configOf('api.cors_origins = ["https://a.org"]').api.corsOrigins,
    ['https://a.org'],
  ],
  [
    'api.cors_methods',
    () => configOf('api.cors_methods = ["DELETE", "GET", "POST", "PUT"]').api.enabled,
    true,
  ],
  ['api.docs_enabled', () => configOf('api.docs_enabled = false').api.docs, false],
  ['api.docs_path', () => configOf('api.docs_path = "/docs"').api.docs, true],
  ['api.openapi_path', () => configOf('api.openapi_path = "/openapi.json"').api.docs, true],
  ['ui.enabled', () => configOf('ui.enabled = false').ui.enabled, false],
  ['ui.path', () => configOf('ui.path = "/web"').ui.path, '/web'],
  ['ui.framework', () => configOf('ui.framework = "react"').ui.enabled, true],
  ['ui.mode', () => configOf('ui.mode = "embedded"').ui.enabled, true],
  ['ui.port', () => configOf('ui.port = 9456').ui.enabled, true],
  [
    'ui.features',
    () =>
      configOf(
        'ui.features = ["server_management", "tool_testing", "logs_viewing", "metrics_dashboard", "configuration_editor"]',
      ).ui.enabled,
    true,
  ],
  ['monitoring.enabled', () => configOf('monitoring.enabled = false').monitoring.metrics.enabled, false],
  [
    'monitoring.audit_file',
    () => configOf('monitoring.audit_file = "audit.log"').monitoring.auditFile,
    '/etc/quire/audit.log',
  ],
  [
    'monitoring.metrics.enabled',
    () => configOf('monitoring.metrics.enabled = false').monitoring.metrics.enabled,
    false,
  ],
  [
    'monitoring.metrics.provider',
    () => configOf('monitoring.metrics.provider = "prometheus"').monitoring.metrics.enabled,
    true,
  ],
  [
    'monitoring.metrics.endpoint',
    () => configOf('monitoring.metrics.endpoint = "/numbers"').monitoring.metrics.path,
    '/numbers',
  ],
  [
    'monitoring.metrics.collection_interval',
    () => configOf('monitoring.metrics.collection_interval = 15').monitoring.metrics.enabled,
    true,
  ],
  [
    'monitoring.metrics.collect',
    () =>
      configOf(
        'monitoring.metrics.collect = ["tool_invocation_count", "tool_invocation_duration", "tool_error_rate", "server_health_status", "process_cpu_usage", "process_memory_usage", "request_rate", "response_time"]',
      ).monitoring.metrics.enabled,
    true,
  ],
  [
    'monitoring.logging.level',
    () => configOf('monitoring.logging.level = "debug"').composer.logLevel,
    'debug',
  ],
  [
    'monitoring.logging.format',
    () => configOf('monitoring.logging.format = "text"').monitoring.logFormat,
    'text',
  ],
  [
    'monitoring.logging.output',
    () => configOf('[monitoring.logging]\noutput = "stderr"\nlog_file = "a.log"').monitoring.logFile,
    undefined,
  ],
  [
    'monitoring.logging.log_file',
    () => configOf('monitoring.logging.log_file = "/var/log/q"').monitoring.logFile,
    '/var/log/q',
  ],
  [
    'monitoring.logging.aggregate_managed_logs',
    () => configOf('monitoring.logging.aggregate_managed_logs = false').monitoring.aggregateServerLogs,
    false,
  ],
  ['monitoring.tracing.enabled', () => configOf('monitoring.tracing.enabled = false').servers, []],
  [
    'monitoring.tracing.provider',
    () => configOf('monitoring.tracing.provider = "opentelemetry"').servers,
    [],
  ],
  [
    'monitoring.tracing.endpoint',
    () => configOf('monitoring.tracing.endpoint = "http://localhost:4317"').servers,
    [],
  ],
  ['monitoring.tracing.sample_rate', () => configOf('monitoring.tracing.sample_rate = 1.0').servers, []],
  ['monitoring.health.endpoint', () => configOf('monitoring.health.endpoint = "/health"').servers, []],
  [
    'tool_manager.conflict_resolution',
    () =>
      configOf('composer.conflict_resolution = "suffix"\ntool_manager.conflict_resolution = "error"').tools
        .strategy,
    'error',
  ],
  ['tool_manager.mode', () => configOf('tool_manager.mode = "search"').tools.mode, 'search'],
  [
    'tool_manager.tool_overrides.tool_pattern',
    () =>
      configOf('[[tool_manager.tool_overrides]]\ntool_pattern = "read_*"\nresolution = "ignore"').tools
        .overrides,
    [{ pattern: 'read_*', strategy: 'ignore' }],
  ],
  [
    'tool_manager.tool_overrides.resolution',
    () =>
      configOf('[[tool_manager.tool_overrides]]\ntool_pattern = "x"\nresolution = "custom"').tools
        .overrides[0]?.strategy,
    'custom',
  ],
  [
    'tool_manager.custom_template.template',
    () => configOf('tool_manager.custom_template.template = "{tool_name}-{server_name}"').tools.template,
    '{tool_name}-{server_name}',
  ],
  [
    'tool_manager.aliases',
    () => configOf(`${stdio()}[tool_manager.aliases]\nread = "s:read_file"`).tools.aliases,
    { read: 's:read_file' },
  ],
  [
    'tool_manager.versioning.enabled',
    () => configOf('tool_manager.versioning.enabled = true').tools.versioning.enabled,
    true,
  ],
  [
    'tool_manager.versioning.allow_multiple_versions',
    () => configOf('tool_manager.versioning.allow_multiple_versions = true').tools.versioning.allowMultiple,
    true,
  ],
  [
    'tool_manager.versioning.version_suffix_format',
    () => configOf('tool_manager.versioning.version_suffix_format = "-{version}"').tools.versioning.suffix,
    '-{version}',
  ],
]

export const ACCEPTED_ACCESS: readonly AcceptedKey[] = [
  ['authentication.enabled', () => configOf(withKeys(`keys = ["${KEY}"]`)).authentication.enabled, true],
  ['authentication.providers', () => configOf(jwt()).authentication.apiKeys, []],
  [
    'authentication.default_provider',
    () => configOf(`authentication.default_provider = "api_key"`).authentication.enabled,
    false,
  ],
  [
    'authentication.api_key.header_name',
    () => configOf(withKeys(`header_name = "Authorization"\nkeys = ["${KEY}"]`)).authentication.enabled,
    true,
  ],
  [
    'authentication.api_key.keys',
    () => configOf(withKeys(`keys = ["${KEY}"]`)).authentication.apiKeys,
    [{ key: KEY, subject: 'api-key-5e318f8c', scopes: undefined, roles: [] }],
  ],
  [
    'authentication.api_key.keys.key',
    () => configOf(withKeys(`keys = [{ key = "${KEY}" }]`)).authentication.apiKeys[0]?.key,
    KEY,
  ],
  [
    'authentication.api_key.keys.subject',
    () =>
      configOf(withKeys(`keys = [{ key = "${KEY}", subject = "ann" }]`)).authentication.apiKeys[0]?.subject,
    'ann',
  ],
  [
    'authentication.api_key.keys.scopes',
    () =>
      configOf(withKeys(`keys = [{ key = "${KEY}", scopes = ["logs:read"] }]`)).authentication.apiKeys[0]
        ?.scopes,
    ['logs:read'],
  ],
  [
    'authentication.api_key.keys.roles',
    () =>
      configOf(
        `${withKeys(`keys = [{ key = "${KEY}", roles = ["a"] }]`)}[[authorization.roles]]\nname = "a"\n`,
      ).authentication.apiKeys[0]?.roles,
    ['a'],
  ],
  [
    'authentication.jwt.jwks_url',
    () => configOf(jwt()).authentication.jwt?.jwksUrl,
    'https://id.example.org/keys',
  ],
  ['authentication.jwt.issuer', () => configOf(jwt()).authentication.jwt?.issuer, 'https://id.example.org'],
  ['authentication.jwt.audience', () => configOf(jwt()).authentication.jwt?.audience, 'quire'],
  [
    'authentication.jwt.roles_claim',
    () => configOf(jwt('roles_claim = "groups"')).authentication.jwt?.rolesClaim,
    'groups',
  ],
  ['authorization.enabled', () => configOf(roles('')).authorization.enabled, true],
  ['authorization.model', () => configOf('authorization.model = "rbac"').authorization.enabled, false],
  [
    'authorization.roles.name',
    () => configOf(roles('')).authorization.roles,
    [{ name: 'reader', tools: [], scopes: [] }],
  ],
  [
    'authorization.roles.permissions',
    () => configOf(roles('permissions = ["tools:execute:files:read_*", "logs:read"]')).authorization.roles[0],
    { name: 'reader', tools: ['files:read_*'], scopes: ['tools:invoke', 'tools:list', 'logs:read'] },
  ],
  [
    'authorization.roles.tools',
    () => configOf(roles('tools = ["files:*", "git_*"]')).authorization.roles[0],
    { name: 'reader', tools: ['files:*', '*:git_*'], scopes: ['tools:list', 'tools:invoke'] },
  ],
  [
    'authorization.roles.scopes',
    () => configOf(roles('scopes = ["config:read"]')).authorization.roles[0]?.scopes,
    ['config:read'],
  ],
  [
    'authorization.rate_limiting.enabled',
    () => configOf(limits('')).authorization.rateLimit,
    { perMinute: 100, perRole: {} },
  ],
  [
    'authorization.rate_limiting.default_limit',
    () => configOf(limits('default_limit = 5')).authorization.rateLimit?.perMinute,
    5,
  ],
  [
    'authorization.rate_limiting.per_role_limits',
    () => configOf(limits('per_role_limits = { reader = 9 }')).authorization.rateLimit?.perRole,
    { reader: 9 },
  ],
]

/** Keys of every kind of server, without the list they stand in. */
export const ACCEPTED_COMMON: readonly AcceptedKey[] = [
  ['name', () => serverOf(stdio(), 'stdio').name, 's'],
  ['enabled', () => configOf(stdio('enabled = false')).servers, []],
  ['auto_start', () => serverOf(stdio('auto_start = false'), 'stdio').autoStart, false],
  ['lazy', () => serverOf(stdio('lazy = true'), 'stdio').lazy, true],
  ['idle_timeout', () => serverOf(stdio('idle_timeout = 1.5'), 'stdio').idleStopMs, 1500],
  ['startup_timeout', () => serverOf(stdio('startup_timeout = 3'), 'stdio').readyMs, 3000],
  ['timeout', () => callLimits('timeout = 4').timeoutMs, 4000],
  ['reset_timeout_on_progress', () => callLimits('reset_timeout_on_progress = false').resetOnProgress, false],
  ['max_total_timeout', () => callLimits('max_total_timeout = 60').maxTotalMs, 60_000],
  ['max_in_flight', () => callLimits('max_in_flight = 2').inFlight, 2],
  ['max_queued', () => callLimits('max_queued = 0').queued, 0],
  ['circuit_breaker_failures', () => callLimits('circuit_breaker_failures = 0').breakerFailures, 0],
  ['circuit_breaker_reset', () => callLimits('circuit_breaker_reset = 9').breakerOpenMs, 9000],
  ['pin', () => serverOf(stdio('pin = true'), 'stdio').pin, true],
  ['include_tools', () => serverOf(stdio('include_tools = ["a*"]'), 'stdio').includeTools, ['a*']],
  ['exclude_tools', () => serverOf(stdio('exclude_tools = ["b"]'), 'stdio').excludeTools, ['b']],
  ['version', () => serverOf(stdio('version = "2.0"'), 'stdio').version, '2.0'],
  [
    'health_check_enabled',
    () => health(''),
    { method: 'ping', tool: undefined, intervalMs: 30_000, timeoutMs: 5000 },
  ],
  ['health_check_interval', () => health('health_check_interval = 10')?.intervalMs, 10_000],
  ['health_check_timeout', () => health('health_check_timeout = 1')?.timeoutMs, 1000],
  [
    'health_check_method',
    () => health('health_check_method = "tool"\nhealth_check_tool = "t"')?.method,
    'tool',
  ],
  [
    'health_check_tool',
    () => health('health_check_tool = "t"'),
    { method: 'tool', tool: 't', intervalMs: 30_000, timeoutMs: 5000 },
  ],
]

export const ACCEPTED_STDIO: readonly AcceptedKey[] = [
  ['command', () => serverOf(stdio(), 'stdio').command, ['run', 'it']],
  ['env', () => serverOf(stdio('env = { A = "b" }'), 'stdio').env, { A: 'b' }],
  ['working_dir', () => serverOf(stdio('working_dir = "../data"'), 'stdio').workingDir, '/etc/data'],
  [
    'restart_policy',
    () => serverOf(stdio('restart_policy = "on_failure"'), 'stdio').restart.policy,
    'on-failure',
  ],
  ['max_restarts', () => serverOf(stdio('max_restarts = 3'), 'stdio').restart.maxRestarts, 3],
  ['restart_delay', () => serverOf(stdio('restart_delay = 5'), 'stdio').restart.delayMs, 5000],
  [
    'resource_limits.max_memory_mb',
    () => serverOf(stdio('resource_limits = { max_memory_mb = 2 }'), 'stdio').maxMemoryBytes,
    2_097_152,
  ],
  ['log_stdout', () => serverOf(stdio('log_stdout = false'), 'stdio').logStderr, true],
  ['log_stderr', () => serverOf(stdio('log_stderr = false'), 'stdio').logStderr, false],
  ['log_file', () => serverOf(stdio('log_file = "s.log"'), 'stdio').logFile, '/etc/quire/s.log'],
]

export const ACCEPTED_REMOTE: readonly AcceptedKey[] = [
  ['url', () => remoteOf('').url, 'https://mcp.example.org/mcp'],
  ['headers', () => remoteOf('headers = { X-Tenant = "7" }').headers, { 'X-Tenant': '7' }],
  ['auth_token', () => remoteOf('auth_token = "t"').headers, { Authorization: 'Bearer t' }],
  [
    'auth_type',
    () => remoteOf('auth_token = "ann:pw"\nauth_type = "basic"').headers,
    { Authorization: 'Basic YW5uOnB3' },
  ],
  ['retry_interval', () => remoteOf('retry_interval = 5').restart.delayMs, 5000],
  ['reconnect_on_failure', () => remoteOf('reconnect_on_failure = false').restart.policy, 'never'],
  ['max_reconnect_attempts', () => remoteOf('max_reconnect_attempts = 10').restart.maxRestarts, 10],
  ['keep_alive', () => remoteOf('keep_alive = true').restart.policy, 'on-failure'],
  ['mode', () => remoteOf('mode = "proxy"').transport, 'http'],
  [
    'command',
    () => remoteOf('command = ["serve"]').program,
    { command: ['serve'], env: {}, workingDir: '/etc/quire' },
  ],
  ['env', () => remoteOf('command = ["serve"]\nenv = { A = "b" }').program?.env, { A: 'b' }],
  ['working_dir', () => remoteOf('command = ["serve"]\nworking_dir = "/srv"').program?.workingDir, '/srv'],
  ['startup_delay', () => remoteOf('startup_delay = 2').readyMs, 30_000],
]

export const ACCEPTED_HTTP: readonly AcceptedKey[] = [
  ['protocol', () => remoteOf('protocol = "streamable-http"', 'http').transport, 'http'],
]

export const ACCEPTED_EMBEDDED: readonly AcceptedKey[] = [
  ['package', () => serverOf(embedded(), 'embedded').module, 'some-server'],
]
