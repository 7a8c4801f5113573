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
import { revocableBy } from './revocable.ts'
import { rolesInToken } from './token-roles.ts'

export interface ComposerAuthentication extends Authentication {
  /**
   * Another configuration: keys that are gone, or have another subject, other scopes or other roles, end at once, with the streams that they opened.
   * Signed tokens do when it says something else of them or of the scopes of roles. Rejects with a `ConfigError`, and then nothing has changed.
   */
  configure(authentication: AuthenticationSettings, authorization: AuthorizationSettings): Promise<void>
}

export interface ComposerAuthenticationOptions {
  readonly authorization: AuthorizationSettings
  readonly fetch?: typeof fetch | undefined
}

/** Those who sign tokens. */
interface Signers {
  readonly rolesClaim: string
  readonly verify: TokenVerifier
  readonly roles: Roles | undefined
  /** All that the configuration says of tokens. */
  readonly terms: string
  /** Tokens are not held one by one: they end together. */
  readonly revocation: AbortController
}

type Roles = ReadonlyMap<string, RoleSettings>

const REALM = 'composer'

/** Undefined where authentication is off. Every principal has roles (a `ComposerPrincipal`), and the scopes of its roles. */
export async function createComposerAuthentication(
  settings: AuthenticationSettings,
  options: ComposerAuthenticationOptions,
): Promise<ComposerAuthentication | undefined> {
  if (!settings.enabled) return undefined
  const ring = createKeyRing([])
  let keys: ReadonlyMap<string, ApiKeySettings> = new Map()
  let signers: Signers | undefined
  /** One principal for one key, as long as its settings last. */
  const principals = new WeakMap<Principal, ComposerPrincipal>()

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
    return signers ? verifyJwt(token, signers) : null
  }

  function ofKey(holder: Principal, token: string): ComposerPrincipal {
    const known = principals.get(holder)
    if (known) return known
    const made = Object.freeze({ ...holder, roles: namedBy(keys.get(hashToken(token))) })
    principals.set(holder, made)
    return made
  }

  async function configure(authentication: AuthenticationSettings, authorization: AuthorizationSettings) {
    if (!authentication.enabled) {
      refuse(
        '[authentication] enabled',
        'false',
        'cannot be turned off while the composer runs: start it anew',
      )
    }
    const roles = toRoles(authorization)
    const nextSigners = await signersOf(authentication, roles)
    const byHash = new Map(authentication.apiKeys.map((key) => [hashToken(key.key), key]))
    if (byHash.size === 0 && !nextSigners)
      refuse(
        '[authentication]',
        'no key and no [authentication.jwt] is given',
        'give one of them, or set enabled = false',
      )
    const before = keys
    const beforeSigners = signers
    keys = byHash
    signers = nextSigners
    const held = [...byHash].map(([hash, key]) => toKey(hash, key, roles))
    // The ring knows nothing of roles: a key that has others leaves it, and comes back as another one.
    ring.replace(held.filter(({ hash }) => isSameRoles(before.get(hash), byHash.get(hash))))
    ring.replace(held)
    if (signers?.revocation !== beforeSigners?.revocation) beforeSigners?.revocation.abort()
  }

  async function signersOf(
    { jwt }: AuthenticationSettings,
    roles: Roles | undefined,
  ): Promise<Signers | undefined> {
    if (!jwt) return undefined
    const verify = await createJwtVerifier(jwt, options.fetch)
    const terms = JSON.stringify([jwt, roles && [...roles].map(([name, { scopes }]) => [name, scopes])])
    const revocation = signers?.terms === terms ? signers.revocation : new AbortController()
    return { rolesClaim: jwt.rolesClaim, verify, roles, terms, revocation }
  }
}

async function verifyJwt(token: string, signers: Signers): Promise<ComposerPrincipal | null> {
  const { rolesClaim, verify, roles: settings, revocation } = signers
  const holder = await verify(token)
  if (!holder) return null
  const roles = Object.freeze([...orDefault(rolesInToken(token, rolesClaim))])
  const scopes = scopesOf(holder.scopes, roles, settings)
  return revocableBy({ ...holder, roles, ...(scopes && { scopes: new Set(scopes) }) }, revocation.signal)
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

function toKey(hash: string, key: ApiKeySettings, settings: Roles | undefined): Key {
  const scopes = scopesOf(key.scopes, namedBy(key), settings)
  return { hash, subject: key.subject, ...(scopes && { scopes }) }
}

function namedBy(key: ApiKeySettings | undefined): readonly string[] {
  return Object.freeze([...orDefault(key?.roles ?? [])])
}

function isSameRoles(before: ApiKeySettings | undefined, after: ApiKeySettings | undefined): boolean {
  return new Set(namedBy(before)).symmetricDifference(new Set(namedBy(after))).size === 0
}

/** Undefined with authorization off. */
function toRoles({ enabled, roles }: AuthorizationSettings): Roles | undefined {
  return enabled ? new Map(roles.map((role) => [role.name, role])) : undefined
}

/**
 * With authorization on, the scopes of the roles count beside those that the key or token lists itself, and nothing else: a key without roles and
 * without scopes may do what the role "default" may, or nothing. With authorization off a key without scopes listed has all.
 */
function scopesOf(
  own: Iterable<string> | undefined,
  roles: readonly string[],
  settings: Roles | undefined,
): readonly string[] | undefined {
  if (!settings) return own && [...own]
  return [...new Set([...(own ?? []), ...roles.flatMap((role) => settings.get(role)?.scopes ?? [])])]
}

function refuse(setting: string, origin: string, message: string): never {
  throw new ConfigError([{ setting, origin, message }])
}
