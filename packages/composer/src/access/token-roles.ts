import { isRecord } from '@quire/mcp/json'

const MAX_ROLES = 100
const LONGEST_ROLE = 256

/** The roles in a token whose signature has been checked: a claim of that name, or one inside others as in `realm_access.roles`. */
export function rolesInToken(token: string, claim: string): readonly string[] {
  const claims = claimsOf(token)
  const value = ownValue(claims, claim) ?? claim.split('.').reduce(ownValue, claims)
  const roles = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
  return roles
    .filter((role) => typeof role === 'string' && role !== '' && role.length <= LONGEST_ROLE)
    .slice(0, MAX_ROLES)
}

function claimsOf(token: string): unknown {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}

function ownValue(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
