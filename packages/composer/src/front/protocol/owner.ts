import type { Principal } from '@quire/kit/auth/principal'

/** Two keys of one subject with different scopes are two callers: a session must not lend the wider to the narrower. */
export function ownerOf(principal: Principal | undefined): string {
  if (!principal) return ''
  return JSON.stringify([principal.subject, principal.scopes ? [...principal.scopes].sort() : null])
}
