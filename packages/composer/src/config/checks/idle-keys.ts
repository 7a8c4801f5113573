import { isRecord } from '@quire/mcp/json'
import type { Tell } from '../config-fault.ts'
import { isOn, serverEntries, valueAt } from '../server-entries.ts'
import type { Path } from '../toml/layout.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'

/** Keys of a table that say something only while its switch is on. */
interface Feature {
  readonly flag: string
  readonly isOn: boolean
  readonly keys: readonly string[]
}

const TABLES: readonly (Feature & { readonly path: Path })[] = [
  { path: ['transport'], flag: 'streamable_http_enabled', isOn: true, keys: ['streamable_http_path'] },
  { path: ['transport'], flag: 'sse_enabled', isOn: false, keys: ['sse_path'] },
  {
    path: ['authentication'],
    flag: 'enabled',
    isOn: false,
    keys: ['providers', 'default_provider', 'api_key', 'jwt'],
  },
  { path: ['authorization'], flag: 'enabled', isOn: false, keys: ['roles', 'rate_limiting'] },
  {
    path: ['authorization', 'rate_limiting'],
    flag: 'enabled',
    isOn: false,
    keys: ['default_limit', 'per_role_limits'],
  },
  {
    path: ['tool_manager', 'versioning'],
    flag: 'enabled',
    isOn: false,
    keys: ['allow_multiple_versions', 'version_suffix_format'],
  },
  { path: ['api'], flag: 'enabled', isOn: true, keys: ['path_prefix', 'docs_enabled'] },
  { path: ['ui'], flag: 'enabled', isOn: true, keys: ['path'] },
  { path: ['api'], flag: 'cors_enabled', isOn: true, keys: ['cors_origins'] },
  { path: ['monitoring', 'metrics'], flag: 'enabled', isOn: true, keys: ['endpoint'] },
]

const OF_SERVERS: readonly Feature[] = [
  { flag: 'lazy', isOn: false, keys: ['idle_timeout'] },
  { flag: 'reset_timeout_on_progress', isOn: true, keys: ['max_total_timeout'] },
  { flag: 'log_stderr', isOn: true, keys: ['log_file'] },
  {
    flag: 'health_check_enabled',
    isOn: false,
    keys: ['health_check_interval', 'health_check_timeout', 'health_check_method', 'health_check_tool'],
  },
]

export function warnOfIdleKeys(document: TomlDocument, tell: Tell): void {
  for (const feature of TABLES) warn(valueAt(document, feature.path), feature.path, feature, tell)
  for (const { path, table } of serverEntries(document))
    for (const feature of OF_SERVERS) warn(table, path, feature, tell)
  warnOfUnusedProvider(document, tell)
  warnOfUnusedTemplate(document, tell)
  warnOfUnusedStrategy(document, tell)
  if (
    valueAt(document, ['monitoring', 'logging', 'output']) === 'stderr' &&
    valueAt(document, LOG_FILE) !== undefined
  )
    tell(LOG_FILE, 'has no effect while output is "stderr"')
}

const GENERAL_STRATEGY = ['composer', 'conflict_resolution']
const DECIDING_STRATEGY = ['tool_manager', 'conflict_resolution']
const LOG_FILE = ['monitoring', 'logging', 'log_file']

function warn(table: unknown, path: Path, { flag, isOn: byDefault, keys }: Feature, tell: Tell): void {
  if (!isRecord(table) || isOn(table[flag], byDefault) || isUnknown(table[flag])) return
  for (const key of keys)
    if (table[key] !== undefined) tell([...path, key], `has no effect while ${flag} is false`)
}

/** A variable may say either. */
function isUnknown(value: unknown): boolean {
  return typeof value === 'string' && value.includes('${')
}

function warnOfUnusedProvider(document: TomlDocument, tell: Tell): void {
  const table = document.authentication
  if (!isRecord(table) || !isOn(table.enabled, false)) return
  const providers = table.providers ?? ['api_key']
  for (const provider of ['api_key', 'jwt'])
    if (table[provider] !== undefined && Array.isArray(providers) && !providers.includes(provider))
      tell(['authentication', provider], `has no effect while providers does not list "${provider}"`)
}

function warnOfUnusedTemplate(document: TomlDocument, tell: Tell): void {
  const path = ['tool_manager', 'custom_template']
  const overrides = valueAt(document, ['tool_manager', 'tool_overrides'])
  const strategies = [
    valueAt(document, DECIDING_STRATEGY) ?? valueAt(document, GENERAL_STRATEGY),
    ...(Array.isArray(overrides) ? overrides.map((override) => valueAt(override, ['resolution'])) : []),
  ]
  if (valueAt(document, path) !== undefined && !strategies.includes('custom'))
    tell(path, 'has no effect while no conflict_resolution is "custom"')
}

function warnOfUnusedStrategy(document: TomlDocument, tell: Tell): void {
  const [general, deciding] = [GENERAL_STRATEGY, DECIDING_STRATEGY].map((path) => valueAt(document, path))
  if (general === undefined || deciding === undefined || general === deciding) return
  tell(GENERAL_STRATEGY, 'has no effect: tool_manager.conflict_resolution decides. Leave one of them out')
}
