const COMMON = {
  name: 'A name of its own: its tools are called server:tool. Must be given.',
  enabled: 'Whether the server is used.',
  auto_start: 'Whether it is started with the composer, or only by hand.',
  lazy: 'Whether it waits for the first call. It is started once to learn its tools, which are then remembered.',
  idle_timeout: 'Seconds without a call after which a lazy server is stopped; 0 for never.',
  startup_timeout: 'Seconds within which it must answer.',
  timeout: 'Seconds that a call may take. Default: max_tool_invocation_time of [composer].',
  reset_timeout_on_progress: 'Whether news of progress starts the timeout anew.',
  max_total_timeout:
    'Seconds that a call may take with all its progress. Default: 600, or timeout if that is more.',
  max_in_flight: 'Calls at a time.',
  max_queued: 'Calls that wait for their turn; more are refused.',
  circuit_breaker_failures: 'So many failures in a row, and calls are refused for a while; 0 for never.',
  circuit_breaker_reset: 'Seconds until one call is tried again.',
  pin: 'Whether a tool whose definition changes is blocked until somebody approves it.',
  include_tools: 'Patterns of the tools that are offered. Default: all.',
  exclude_tools: 'Patterns of tools that are not. Default: none.',
  version: 'Its version, for [tool_manager.versioning]. Default: what the server says.',
  health_check_enabled: 'Whether it is asked now and then whether it is well.',
  health_check_timeout: 'Seconds within which it must answer that.',
  health_check_method:
    'By a ping, or by a call of health_check_tool. Default: "tool" if that is given, else "ping".',
  health_check_tool: 'The tool to call, without arguments. Default: none.',
}

const PROGRAM = {
  env: 'Variables for the program. Of ours it sees only HOME, LANG, LOGNAME, PATH, SHELL, TERM and USER. Default: none.',
  working_dir: 'The folder in which the program runs. Default: the folder of this file.',
}

const STDIO = {
  command: 'The program and its arguments. Must be given.',
  health_check_interval: 'Seconds between two checks. Default: 30.',
  restart_policy: 'When it is started again after its end.',
  max_restarts:
    'Restarts in a row before it is left alone; -1 for without end. Default: five starts in two minutes.',
  restart_delay: 'Seconds before the first restart, doubled with each. Default: 0.5.',
  resource_limits: 'What it may use.',
  'resource_limits.max_memory_mb':
    'Memory of all its processes; with more it is ended, which counts as a failure. Default: no limit.',
  log_stderr: 'Whether what it writes to standard error is kept.',
  log_file: 'A file that gets it too. Default: none.',
}

const REMOTE = {
  url: 'Its address. Must be given.',
  headers: 'Sent with every request. Default: none.',
  auth_token: 'Sent in the Authorization header. Write it as a variable. Default: none.',
  auth_type: 'How auth_token is sent: as Bearer, as Basic, or as it is.',
  health_check_interval: 'Seconds between two checks. Default: 60.',
  reconnect_on_failure: 'Whether it is tried again after a failure.',
  max_reconnect_attempts:
    'Attempts in a row before it is left alone; -1 for without end. Default: without end; with a command, five starts in two minutes.',
  retry_interval: 'Seconds before the first attempt, doubled with each. Default: 0.5.',
  mode: 'Can only be "proxy", which is the same as leaving it out.',
  command: 'The program that serves the address, and its arguments. Default: none, it runs already.',
}

const HTTP = { protocol: 'Can only be "streamable-http", which is the same as leaving it out.' }

const EMBEDDED = {
  package: 'The module: a package, or a path that begins with ./ or /. Must be given.',
  health_check_interval: 'Seconds between two checks. Default: 30.',
}

const REMOTE_KEYS = { ...COMMON, ...PROGRAM, ...REMOTE }

export const SERVER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...below('servers.proxied.stdio[]', { ...COMMON, ...PROGRAM, ...STDIO }),
  ...below('servers.proxied.sse[]', REMOTE_KEYS),
  ...below('servers.proxied.http[]', { ...REMOTE_KEYS, ...HTTP }),
  ...below('servers.proxied.streamable-http[]', REMOTE_KEYS),
  ...below('servers.proxied.streamable_http[]', REMOTE_KEYS),
  ...below('servers.embedded.servers[]', { ...COMMON, ...EMBEDDED }),
}

function below(list: string, keys: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([key, sentence]) => [`${list}.${key}`, sentence]))
}
