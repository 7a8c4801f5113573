import type { Authentication } from '@quire/kit/auth/bearer'
import { createKeyRing, type Key } from '@quire/kit/auth/key-ring'
import type { Principal, TokenVerifier } from '@quire/kit/auth/principal'
import { hashToken } from '@quire/kit/auth/token'
import { ConfigError } from '@quire/kit/config/config-error'
import type {
  ApiKeySettings,
  AuthenticationSettings,
  AuthorizationSettings,
  JwtSettings,
  RoleSettings,
} from '../config/config.ts'
import { type ComposerPrincipal, orDefault } from './composer-principal.ts'
import { rolesInToken } from './token-roles.ts'

export interface ComposerAuthentication extends Authentication {
  /** Another configuration: keys that are gone end at once, with the streams that they opened. Rejects with a `ConfigError`, and then nothing has changed. */
  configure(authentication: AuthenticationSettings, authorization: AuthorizationSettings): Promise<void>
}

export interface ComposerAuthenticationOptions {
  readonly authorization: AuthorizationSettings
  readonly fetch?: typeof fetch | undefined
}

const REALM = 'composer'

/** Undefined where authentication is off. Every principal has roles (a `ComposerPrincipal`), and the scopes of its roles. */
export async function createComposerAuthentication(
  settings: AuthenticationSettings,
  options: ComposerAuthenticationOptions,
): Promise<ComposerAuthentication | undefined> {
  if (!settings.enabled) return undefined
  const ring = createKeyRing([])
  let keys: ReadonlyMap<string, ApiKeySettings> = new Map()
  let rolesByName: ReadonlyMap<string, RoleSettings> = new Map()
  let jwt: { readonly rolesClaim: string; readonly verify: TokenVerifier } | undefined
  /** One principal for one key, as long as its settings last. */
  let principals = new WeakMap<Principal, ComposerPrincipal>()

  await configure(settings, options.authorization)
  return Object.freeze({ realm: REALM, verify, configure })

  function verify(token: string) {
    const holder = ring.verify(token)
    return holder instanceof Promise
      ? holder.then((found) => identify(found, token))
      : identify(holder, token)
  }

  function identify(holder: Principal | null, token: string) {
    if (holder) return ofKey(holder, token)
    return jwt ? verifyJwt(token, jwt) : null
  }

  function ofKey(holder: Principal, token: string): ComposerPrincipal {
    const known = principals.get(holder)
    if (known) return known
    const made = withRoles(holder, keys.get(hashToken(token))?.roles ?? [], rolesByName)
    principals.set(holder, made)
    return made
  }

  async function verifyJwt(
    token: string,
    { rolesClaim, verify }: NonNullable<typeof jwt>,
  ): Promise<ComposerPrincipal | null> {
    const holder = await verify(token)
    return holder && withRoles(holder, rolesInToken(token, rolesClaim), rolesByName)
  }

  async function configure(authentication: AuthenticationSettings, authorization: AuthorizationSettings) {
    if (!authentication.enabled) {
      refuse(
        '[authentication] enabled',
        'false',
        'cannot be turned off while the composer runs: start it anew',
      )
    }
    const nextJwt = await jwtOf(authentication)
    const byHash = new Map(authentication.apiKeys.map((key) => [hashToken(key.key), key]))
    if (byHash.size === 0 && !nextJwt)
      refuse(
        '[authentication]',
        'no key and no [authentication.jwt] is given',
        'give one of them, or set enabled = false',
      )
    jwt = nextJwt
    keys = byHash
    rolesByName = toRoles(authorization)
    principals = new WeakMap()
    ring.replace([...byHash].map(([hash, key]) => toKey(hash, key)))
  }

  async function jwtOf(authentication: AuthenticationSettings): Promise<typeof jwt> {
    const next = authentication.jwt
    if (!next) return undefined
    return { rolesClaim: next.rolesClaim, verify: await createJwtVerifier(next, options.fetch) }
  }
}

/** Loaded only where tokens are signed: it takes as long as all the rest. */
async function createJwtVerifier(
  { jwksUrl, issuer, audience }: JwtSettings,
  fetchKeys: typeof fetch | undefined,
): Promise<TokenVerifier> {
  const { createJwksVerifier } = await import('@quire/kit/auth/jwks')
  try {
    return createJwksVerifier({ jwksUri: jwksUrl, issuer, audience, ...(fetchKeys && { fetch: fetchKeys }) })
  } catch (error) {
    return refuse(
      '[authentication.jwt] jwks_url',
      jwksUrl,
      error instanceof Error ? error.message : String(error),
    )
  }
}

function toKey(hash: string, { subject, scopes }: ApiKeySettings): Key {
  return { hash, subject, ...(scopes && { scopes }) }
}

function toRoles({ enabled, roles }: AuthorizationSettings): ReadonlyMap<string, RoleSettings> {
  return new Map(enabled ? roles.map((role) => [role.name, role]) : [])
}

/**
 * The scopes of the roles are added to those of the key or token. A key without scopes listed has all, unless its roles list some: then it
 * has those.
 */
function withRoles(
  holder: Principal,
  named: readonly string[],
  settings: ReadonlyMap<string, RoleSettings>,
): ComposerPrincipal {
  const roles = orDefault(named)
  const ofRoles = roles.flatMap((role) => settings.get(role)?.scopes ?? [])
  const scopes = ofRoles.length > 0 ? new Set([...(holder.scopes ?? []), ...ofRoles]) : holder.scopes
  return Object.freeze({ ...holder, ...(scopes && { scopes }), roles: Object.freeze([...roles]) })
}

function refuse(setting: string, origin: string, message: string): never {
  throw new ConfigError([{ setting, origin, message }])
}
