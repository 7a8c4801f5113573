import { resolve } from 'node:path'
import type {
  CommonDefinition,
  ConfiguredDefinition,
  EmbeddedDefinition,
  HealthSettings,
  RemoteDefinition,
  StdioDefinition,
} from '../server-definition.ts'
import type { EmbeddedFile, RemoteFile, ServersFile, StdioFile } from './schema/servers.ts'

export interface ServerDefaults {
  /** Relative paths begin here. */
  readonly baseDir: string
  readonly timeoutMs: number
}

const MAX_TOTAL_MS = 600_000
const MEBIBYTE = 1024 * 1024

export interface ServerSet {
  readonly enabled: readonly ConfiguredDefinition[]
  readonly disabled: readonly ConfiguredDefinition[]
}

/** In the order of the kinds, and within a kind of the file. */
export function toServers({ proxied, embedded }: ServersFile, defaults: ServerDefaults): ServerSet {
  const remotes = [...proxied.http, ...proxied['streamable-http'], ...proxied.streamable_http]
  const all = [
    ...proxied.stdio.map((file) => ({ file, definition: toStdio(file, defaults) })),
    ...remotes.map((file) => ({ file, definition: toRemote(file, 'http', defaults) })),
    ...proxied.sse.map((file) => ({ file, definition: toRemote(file, 'sse', defaults) })),
    ...embedded.servers.map((file) => ({ file, definition: toEmbedded(file, defaults) })),
  ]
  return {
    enabled: all.filter(({ file }) => file.enabled).map(({ definition }) => definition),
    disabled: all.filter(({ file }) => !file.enabled).map(({ definition }) => definition),
  }
}

function toStdio(file: StdioFile, defaults: ServerDefaults): StdioDefinition {
  const { baseDir } = defaults
  const memory = file.resource_limits.max_memory_mb
  return {
    ...toCommon(file, defaults, 30_000),
    transport: 'stdio',
    command: toCommand(file.command),
    env: file.env,
    workingDir: toFolder(file.working_dir, baseDir),
    restart: {
      policy: file.restart_policy === 'on_failure' ? 'on-failure' : file.restart_policy,
      maxRestarts: file.max_restarts,
      delayMs: file.restart_delay,
    },
    maxMemoryBytes: memory === undefined ? undefined : memory * MEBIBYTE,
    logStderr: file.log_stderr,
    logFile: toPath(file.log_file, baseDir),
  }
}

function toRemote(
  file: RemoteFile,
  transport: RemoteDefinition['transport'],
  defaults: ServerDefaults,
): RemoteDefinition {
  const { command, env, auth_token: token } = file
  return {
    ...toCommon(file, defaults, 60_000),
    transport,
    url: file.url,
    headers: {
      ...file.headers,
      ...(token !== undefined && { Authorization: toAuthorization(token, file.auth_type) }),
    },
    restart: {
      policy: file.reconnect_on_failure ? 'on-failure' : 'never',
      maxRestarts: file.max_reconnect_attempts,
      delayMs: file.retry_interval,
    },
    program: command && {
      command: toCommand(command),
      env,
      workingDir: toFolder(file.working_dir, defaults.baseDir),
    },
  }
}

function toEmbedded(file: EmbeddedFile, defaults: ServerDefaults): EmbeddedDefinition {
  const isPath = /^\.{0,2}\//.test(file.package)
  return {
    ...toCommon(file, defaults, 30_000),
    transport: 'embedded',
    module: isPath ? resolve(defaults.baseDir, file.package) : file.package,
    restart: { policy: 'on-failure', maxRestarts: undefined, delayMs: undefined },
  }
}

function toCommon(
  file: StdioFile | RemoteFile | EmbeddedFile,
  defaults: ServerDefaults,
  healthIntervalMs: number,
): Omit<CommonDefinition, 'restart'> {
  const timeoutMs = file.timeout ?? defaults.timeoutMs
  return {
    name: file.name,
    autoStart: file.auto_start,
    lazy: file.lazy,
    idleStopMs: file.idle_timeout,
    readyMs: file.startup_timeout,
    health: toHealth(file, healthIntervalMs),
    limits: {
      timeoutMs,
      resetOnProgress: file.reset_timeout_on_progress,
      maxTotalMs: file.max_total_timeout ?? Math.max(MAX_TOTAL_MS, timeoutMs),
      inFlight: file.max_in_flight,
      queued: file.max_queued,
      breakerFailures: file.circuit_breaker_failures,
      breakerOpenMs: file.circuit_breaker_reset,
    },
    pin: file.pin,
    includeTools: file.include_tools,
    excludeTools: file.exclude_tools,
    version: file.version,
  }
}

function toHealth(
  file: StdioFile | RemoteFile | EmbeddedFile,
  intervalMs: number,
): HealthSettings | undefined {
  if (!file.health_check_enabled) return undefined
  const tool = file.health_check_tool
  const method = file.health_check_method ?? (tool === undefined ? 'ping' : 'tool')
  return {
    method,
    tool: method === 'tool' ? tool : undefined,
    intervalMs: file.health_check_interval ?? intervalMs,
    timeoutMs: file.health_check_timeout,
  }
}

function toAuthorization(token: string, type: RemoteFile['auth_type']): string {
  if (type === 'raw') return token
  if (type === 'bearer') return `Bearer ${token}`
  // A colon never stands in what is encoded already.
  return `Basic ${token.includes(':') ? Buffer.from(token).toString('base64') : token}`
}

function toCommand([program = '', ...rest]: readonly string[]): readonly [string, ...string[]] {
  return [program, ...rest]
}

/** Where a program runs: its arguments are relative paths too, so by default in the folder of the file. */
function toFolder(path: string | undefined, baseDir: string): string {
  return resolve(baseDir, path ?? '.')
}

function toPath(path: string | undefined, baseDir: string): string | undefined {
  return path === undefined ? undefined : resolve(baseDir, path)
}
