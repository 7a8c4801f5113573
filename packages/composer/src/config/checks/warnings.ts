import { isRecord } from '@quire/mcp/json'
import type { PathFault, Tell } from '../config-fault.ts'
import { isReference, isSecretName, maskValue } from '../secrets.ts'
import { isOn, type ServerEntry, serverEntries, tablesAt, valueAt } from '../server-entries.ts'
import type { Path } from '../toml/layout.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'
import { warnOfIdleKeys } from './idle-keys.ts'

/** What is allowed and probably not meant. Looks at the document as it is written, variables not replaced. */
export function warningsOf(document: TomlDocument): readonly PathFault[] {
  const warnings: PathFault[] = []
  const tell: Tell = (path, message) => warnings.push({ path, message })
  warnOfIdleKeys(document, tell)
  warnOfDollars(document, [], tell)
  for (const entry of serverEntries(document)) {
    warnOfSecrets(entry, tell)
    warnOfPlainHttp(entry, tell)
    warnOfProgramKeys(entry, tell)
  }
  warnOfKeys(document, tell)
  warnOfKeysWithoutRole(document, tell)
  return warnings
}

const IN_CLEAR = `is written in clear: write \${NAME} and set the variable`

function warnOfSecrets({ path, table }: ServerEntry, tell: Tell): void {
  for (const key of ['env', 'headers']) {
    const values = table[key]
    for (const [name, value] of Object.entries(isRecord(values) ? values : {}))
      if (isSecretName(name) && isClear(value)) tell([...path, key, name], IN_CLEAR)
  }
  if (isClear(table.auth_token)) tell([...path, 'auth_token'], IN_CLEAR)
  const command = Array.isArray(table.command) ? table.command : []
  for (const [at, part] of command.entries()) {
    const place = [...path, 'command', at]
    if (maskValue(part, place, command[at - 1]) !== part)
      tell(
        place,
        'looks like a secret, and every process of this machine can read the arguments: hand it over in env',
      )
  }
}

function isClear(value: unknown): boolean {
  return typeof value === 'string' && !isReference(value)
}

function warnOfPlainHttp({ path, table }: ServerEntry, tell: Tell): void {
  const url = typeof table.url === 'string' ? URL.parse(table.url) : null
  if (url?.protocol !== 'http:' || /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(url.hostname)) return
  const headers = isRecord(table.headers) ? Object.keys(table.headers) : []
  if (table.auth_token !== undefined || headers.some(isSecretName))
    tell([...path, 'url'], 'sends a secret to another machine without encryption: use https')
}

function warnOfProgramKeys({ path, kind, table }: ServerEntry, tell: Tell): void {
  if (kind !== 'remote') return
  if (table.auth_type !== undefined && table.auth_token === undefined)
    tell([...path, 'auth_type'], 'has no effect without auth_token')
  if (table.command !== undefined) return
  for (const key of ['env', 'working_dir'])
    if (table[key] !== undefined) tell([...path, key], 'has no effect without a command')
}

const GOOD_KEY = 32

function keysOf(document: TomlDocument): readonly unknown[] {
  const keys = valueAt(document, ['authentication', 'api_key', 'keys'])
  return Array.isArray(keys) ? keys : []
}

function warnOfKeys(document: TomlDocument, tell: Tell): void {
  for (const [index, item] of keysOf(document).entries()) {
    const key = isRecord(item) ? item.key : item
    if (typeof key !== 'string' || isReference(key)) continue
    const path: Path = ['authentication', 'api_key', 'keys', index, ...(isRecord(item) ? ['key'] : [])]
    tell(path, IN_CLEAR)
    if (key.length < GOOD_KEY) tell(path, `has fewer than ${GOOD_KEY} characters`)
  }
}

function warnOfKeysWithoutRole(document: TomlDocument, tell: Tell): void {
  const switches = ['authentication', 'authorization'].map((table) => valueAt(document, [table, 'enabled']))
  if (!switches.every((value) => isOn(value, false))) return
  // A variable may name any role.
  if (tablesAt(document, ['authorization', 'roles']).some(({ table }) => isDefaultOrOpen(table.name))) return
  for (const [index, item] of keysOf(document).entries()) {
    const roles = isRecord(item) ? item.roles : undefined
    if (roles === undefined || (Array.isArray(roles) && roles.length === 0))
      tell(['authentication', 'api_key', 'keys', index], WITHOUT_ROLE)
  }
}

const WITHOUT_ROLE =
  'has no roles, and there is no role named "default": who holds it can call no tool. Give it roles, or write that role'

function isDefaultOrOpen(name: unknown): boolean {
  return name === 'default' || (typeof name === 'string' && name.includes('${'))
}

/** Elsewhere `$NAME` is a variable. */
function warnOfDollars(value: unknown, path: Path, tell: Tell): void {
  if (typeof value === 'string' && /(?<!\$)(?:\$\$)*\$[A-Z_]/.test(value))
    tell(
      path,
      `holds a "$" that is taken as it is: a variable is written \${NAME}, and $$ says that a dollar sign is meant`,
    )
  else if (Array.isArray(value))
    for (const [at, item] of value.entries()) warnOfDollars(item, [...path, at], tell)
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) warnOfDollars(item, [...path, key], tell)
}
