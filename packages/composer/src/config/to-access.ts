import { hashToken } from '@quire/kit/auth/token'
import type { ApiKeySettings, AuthenticationSettings, AuthorizationSettings, RoleSettings } from './config.ts'
import { EVERY_TOOL, grantOf, TOOL_SCOPES, toolPattern } from './permissions.ts'
import type { AuthenticationFile, AuthorizationFile } from './schema/access.ts'

export function toAuthentication(file: AuthenticationFile): AuthenticationSettings {
  if (!file.enabled) return { enabled: false, apiKeys: [], jwt: undefined }
  const takesKeys = file.providers.includes('api_key')
  const { jwt } = file
  return {
    enabled: true,
    apiKeys: takesKeys ? (file.api_key?.keys ?? []).map(toApiKey) : [],
    jwt:
      jwt && file.providers.includes('jwt')
        ? { jwksUrl: jwt.jwks_url, issuer: jwt.issuer, audience: jwt.audience, rolesClaim: jwt.roles_claim }
        : undefined,
  }
}

type KeyFile = NonNullable<AuthenticationFile['api_key']>['keys'][number]

/** A name made from the key and not from its place in the list: a key that goes must not hand its name to another. */
function toApiKey(file: KeyFile): ApiKeySettings {
  const { key, subject, scopes, roles } =
    typeof file === 'string' ? { key: file, subject: undefined, scopes: undefined, roles: [] } : file
  return { key, subject: subject ?? `api-key-${hashToken(key).slice(0, 8)}`, scopes, roles }
}

export function toAuthorizationSettings(file: AuthorizationFile): AuthorizationSettings {
  const { rate_limiting: limits } = file
  return {
    enabled: file.enabled,
    roles: file.enabled ? file.roles.map(toRole) : [],
    rateLimit: limits.enabled
      ? { perMinute: limits.default_limit, perRole: limits.per_role_limits }
      : undefined,
  }
}

function toRole(file: AuthorizationFile['roles'][number]): RoleSettings {
  const grants = file.permissions.flatMap((permission) => grantOf(permission) ?? [])
  const scopes = new Set([...file.scopes, ...grants.flatMap((grant) => grant.scopes)])
  const tools = new Set([...file.tools.map(toolPattern), ...grants.flatMap((grant) => grant.tools)])
  // A role that names tools is for calling them, and whoever may only look may look at all of them.
  if (tools.size > 0 && file.scopes.length === 0) for (const scope of TOOL_SCOPES) scopes.add(scope)
  if (tools.size === 0 && scopes.has('tools:list') && !scopes.has('tools:invoke')) tools.add(EVERY_TOOL)
  return { name: file.name, tools: [...tools], scopes: [...scopes] }
}
