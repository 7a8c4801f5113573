import { isRecord } from '@quire/mcp/json'
import { SCOPES } from '../../scopes.ts'
import type { Tell } from '../config-fault.ts'
import { grantOf } from '../permissions.ts'
import { either } from '../schema/fields.ts'
import { isOn, tablesAt, valueAt } from '../server-entries.ts'
import type { Path } from '../toml/layout.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'

export function checkAuthentication({ authentication, authorization }: TomlDocument, tell: Tell): void {
  if (!isRecord(authentication)) return
  const keys = valueAt(authentication, ['api_key', 'keys'])
  if (Array.isArray(keys)) checkKeys(keys, rolesOf(authorization), tell)
  checkKeySet(valueAt(authentication, ['jwt', 'jwks_url']), tell)
  if (!isOn(authentication.enabled, false)) return
  const providers = authentication.providers ?? ['api_key']
  if (!Array.isArray(providers)) return
  const hasKeys = providers.includes('api_key') && Array.isArray(keys) && keys.length > 0
  const hasJwt = providers.includes('jwt') && isRecord(authentication.jwt)
  if (providers.includes('jwt') && !hasJwt)
    tell(
      ['authentication', 'providers'],
      'lists "jwt", which needs [authentication.jwt] with jwks_url, issuer and audience',
    )
  else if (!hasKeys && !hasJwt)
    tell(
      ['authentication', 'enabled'],
      'is true, and nobody could come in: give keys in [authentication.api_key], or [authentication.jwt] and list "jwt" in providers',
    )
  const preferred = authentication.default_provider
  if (preferred !== undefined && !providers.includes(preferred))
    tell(['authentication', 'default_provider'], 'is not among the providers')
}

function checkKeys(keys: readonly unknown[], roles: ReadonlySet<unknown>, tell: Tell): void {
  const seen = new Set<unknown>()
  for (const [index, item] of keys.entries()) {
    const path: Path = ['authentication', 'api_key', 'keys', index]
    const key = isRecord(item) ? item.key : item
    if (typeof key === 'string' && seen.has(key)) tell(path, 'is in the list twice')
    seen.add(key)
    const named = isRecord(item) ? item.roles : undefined
    if (!Array.isArray(named)) continue
    for (const [at, role] of named.entries())
      if (typeof role === 'string' && !roles.has(role)) tell([...path, 'roles', at], UNKNOWN_ROLE)
  }
}

const UNKNOWN_ROLE = 'is no role: write it as [[authorization.roles]]'

function checkKeySet(address: unknown, tell: Tell): void {
  const url = typeof address === 'string' ? URL.parse(address) : null
  if (url?.protocol === 'http:' && !LOOPBACK.includes(url.hostname))
    tell(
      ['authentication', 'jwt', 'jwks_url'],
      'must be https (or http on this machine): who can change it can forge tokens',
    )
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export function checkAuthorization({ authentication, authorization }: TomlDocument, tell: Tell): void {
  if (!isRecord(authorization)) return
  const roles = tablesAt(authorization, ['roles'])
  const seen = new Set<unknown>()
  for (const { table, index } of roles) {
    const path: Path = ['authorization', 'roles', index]
    if (typeof table.name === 'string' && seen.has(table.name))
      tell([...path, 'name'], 'is the name of another role too')
    seen.add(table.name)
    checkPermissions(table, path, tell)
  }
  const limits = valueAt(authorization, ['rate_limiting', 'per_role_limits'])
  for (const role of isRecord(limits) ? Object.keys(limits) : [])
    if (!seen.has(role)) tell(['authorization', 'rate_limiting', 'per_role_limits', role], UNKNOWN_ROLE)
  if (!isOn(authorization.enabled, false)) return
  if (!seen.has('default') && !(isRecord(authentication) && isOn(authentication.enabled, false)))
    tell(
      ['authorization', 'enabled'],
      'is true, and nobody says who calls: set enabled = true in [authentication], or write a role named "default", which is for callers without one',
    )
  if (roles.length === 0)
    tell(['authorization', 'enabled'], 'is true, and there is no role: write [[authorization.roles]]')
}

function checkPermissions(role: TomlDocument, path: Path, tell: Tell): void {
  const permissions = Array.isArray(role.permissions) ? role.permissions : []
  for (const [at, permission] of permissions.entries()) {
    if (typeof permission !== 'string' || grantOf(permission)) continue
    tell(
      [...path, 'permissions', at],
      `is no permission: write ${either([...SCOPES, 'tools:invoke:PATTERN', '*'])}`,
    )
  }
  const scopes = Array.isArray(role.scopes) ? role.scopes : []
  const tools = Array.isArray(role.tools) ? role.tools : []
  if (scopes.includes('tools:invoke') && tools.length === 0 && permissions.length === 0)
    tell([...path, 'scopes'], 'allow to call tools, and no tool is named: write tools = ["*"] or fewer')
}

function rolesOf(authorization: unknown): ReadonlySet<unknown> {
  return new Set(tablesAt(authorization, ['roles']).map(({ table }) => table.name))
}
