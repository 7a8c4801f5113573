import type { Principal } from '@quire/kit/auth/principal'
import { rolesOf } from '../../access/composer-principal.ts'

/** Two keys of one subject with different scopes or roles are two callers: a session must not lend the wider to the narrower. */
export function ownerOf(principal: Principal | undefined): string {
  if (!principal) return ''
  const { subject, scopes } = principal
  return JSON.stringify([subject, scopes ? [...scopes].sort() : null, [...rolesOf(principal)].sort()])
}
