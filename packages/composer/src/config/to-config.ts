import { resolve } from 'node:path'
import type { ComposerConfig, ToolSettings } from './config.ts'
import type { ConfigFile } from './schema/config-file.ts'
import { toAuthentication, toAuthorizationSettings } from './to-access.ts'
import { toServers } from './to-servers.ts'

/** What a file that has no faults comes to. */
export function toConfig(file: ConfigFile, baseDir: string): ComposerConfig {
  const { composer, transport, api, ui, monitoring } = file
  const { metrics, logging } = monitoring
  const servers = toServers(file.servers, { baseDir, timeoutMs: composer.max_tool_invocation_time })
  const logFile = logging.output === 'stderr' ? undefined : logging.log_file
  return {
    composer: {
      name: composer.name,
      logLevel: toLevel(composer.log_level ?? logging.level ?? 'info'),
      port: composer.port,
    },
    transport: {
      stdio: transport.stdio_enabled,
      streamableHttp: {
        enabled: transport.streamable_http_enabled,
        path: transport.streamable_http_path,
      },
      sse: { enabled: transport.sse_enabled, path: transport.sse_path },
    },
    authentication: toAuthentication(file.authentication),
    authorization: toAuthorizationSettings(file.authorization),
    servers: servers.enabled,
    disabledServers: servers.disabled,
    tools: toTools(file),
    api: {
      enabled: api.enabled,
      pathPrefix: api.path_prefix === '/' ? '' : api.path_prefix,
      host: api.host,
      port: api.port,
      corsOrigins: api.cors_enabled ? api.cors_origins : [],
      docs: api.docs_enabled,
    },
    ui: { enabled: ui.enabled, path: ui.path },
    monitoring: {
      metrics: { enabled: monitoring.enabled && metrics.enabled, path: metrics.endpoint },
      aggregateServerLogs: logging.aggregate_managed_logs,
      logFormat: logging.format,
      logFile: logFile === undefined ? undefined : resolve(baseDir, logFile),
      auditFile: monitoring.audit_file === undefined ? undefined : resolve(baseDir, monitoring.audit_file),
    },
  }
}

function toTools({ composer, tool_manager: file }: ConfigFile): ToolSettings {
  return {
    strategy: file.conflict_resolution ?? composer.conflict_resolution,
    overrides: file.tool_overrides.map(({ tool_pattern: pattern, resolution }) => ({
      pattern,
      strategy: resolution,
    })),
    template: file.custom_template.template,
    aliases: file.aliases,
    versioning: {
      enabled: file.versioning.enabled,
      allowMultiple: file.versioning.allow_multiple_versions,
      suffix: file.versioning.version_suffix_format,
    },
    mode: file.mode,
  }
}

function toLevel(level: string): ComposerConfig['composer']['logLevel'] {
  switch (level.toLowerCase()) {
    case 'debug':
      return 'debug'
    case 'warn':
    case 'warning':
      return 'warn'
    case 'error':
    case 'critical':
      return 'error'
    default:
      return 'info'
  }
}
