import { z } from 'zod'
import { SCOPES } from '../../scopes.ts'
import {
  choice,
  either,
  filledLine,
  flag,
  line,
  lines,
  only,
  refused,
  webAddress,
  wholeNumber,
} from './fields.ts'

const SHORTEST_KEY = 16
const HEADER =
  'keys come as "Authorization: Bearer KEY", as tokens do; clients that send X-API-Key must send that instead'
const NO_PROVIDER = 'is not offered: use "api_key" or "jwt"'
const SHARED_SECRET =
  'tokens with a shared secret are not taken, only signed ones: give jwks_url, issuer and audience'

const Key = line().min(
  SHORTEST_KEY,
  `must have at least ${SHORTEST_KEY} characters, such as "openssl rand -hex 32" makes them`,
)
const ScopeList = z.array(choice(SCOPES), { error: `must be a list of scopes: ${either(SCOPES)}` })

const KeyTable = z.strictObject({
  key: Key,
  subject: filledLine().optional(),
  scopes: ScopeList.optional(),
  roles: lines().prefault([]),
})

const provider = choice(['api_key', 'jwt'], {
  basic: `"basic" ${NO_PROVIDER}`,
  oauth2: `"oauth2" ${NO_PROVIDER}; tokens of an authorization server are "jwt"`,
  mtls: `"mtls" ${NO_PROVIDER}; client certificates are checked by a proxy in front`,
  anaconda: `"anaconda" ${NO_PROVIDER}`,
})

export const Authentication = z.strictObject({
  enabled: flag().prefault(false),
  providers: z.array(provider, { error: 'must be a list of "api_key" and "jwt"' }).prefault(['api_key']),
  default_provider: provider.optional(),
  api_key: z
    .strictObject({
      header_name: z.literal('Authorization', { error: `can only be "Authorization": ${HEADER}` }).optional(),
      keys: z
        .array(z.union([Key, KeyTable], { error: 'must be a text, or a table with "key"' }), {
          error: 'must be a list of keys',
        })
        .prefault([]),
    })
    .optional(),
  jwt: z
    .strictObject({
      jwks_url: webAddress(),
      issuer: filledLine(),
      audience: filledLine(),
      roles_claim: filledLine().prefault('roles'),
      secret: refused(SHARED_SECRET),
      algorithm: refused(SHARED_SECRET),
    })
    .optional(),
  basic: refused(
    'user names with passwords are not offered; use [authentication.api_key] or [authentication.jwt]',
  ),
  oauth2: refused(
    'tokens of an authorization server are checked by [authentication.jwt] with jwks_url, issuer and audience',
  ),
  mtls: refused('client certificates are checked by a proxy in front'),
  anaconda: refused('use [authentication.api_key] or [authentication.jwt]'),
})

const Role = z.strictObject({
  name: filledLine(),
  permissions: lines().prefault([]),
  tools: lines().prefault([]),
  scopes: ScopeList.prefault([]),
})

const perMinute = wholeNumber(1, 1_000_000)

export const Authorization = z.strictObject({
  enabled: flag().prefault(false),
  model: only('rbac', 'callers have roles'),
  roles: z.array(Role, { error: 'must be written as [[authorization.roles]]' }).prefault([]),
  tools: refused('say in each role which tools it may call: tools = ["server:tool"]'),
  rate_limiting: z
    .strictObject({
      enabled: flag().prefault(false),
      default_limit: perMinute.prefault(100),
      per_role_limits: z
        .record(z.string(), perMinute, { error: 'must be a table of numbers by role' })
        .prefault({}),
    })
    .prefault({}),
})

export type AuthenticationFile = z.output<typeof Authentication>
export type AuthorizationFile = z.output<typeof Authorization>
